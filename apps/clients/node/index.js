'use strict';

const http = require('node:http');
const https = require('node:https');
const { performance } = require('node:perf_hooks');
const { unescape } = require('node:querystring');
const { setTimeout: sleep } = require('node:timers/promises');
const { createSecureContext } = require('node:tls');

/** Bytes of an answer. One of 1,000 IDs has less than half. */
const MOST = 1 << 17;

/** The server issued no ID, or refused one. */
class TickidError extends Error {
  constructor(message, retryAfterMs, options) {
    const when = retryAfterMs === undefined ? '' : `; retry after ${retryAfterMs} ms`;
    super(message + when, options);
    this.name = 'TickidError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** An error of a connection, or an answer that cannot be read. */
class Broken extends Error {}

const within = (name, value, least, most) => {
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    throw new RangeError(`${name} ${value} is not an integer in ${least}..=${most}`);
  }
  return value;
};

/** IDs of one realm of a tickid server. */
class IdSource {
  #answer = new Set();
  #block = [];
  #drops = 0;
  #format;
  #isInt;
  #made = { wall: -Infinity, monotonic: -Infinity };
  #maxAgeMs;
  #maxBlock;
  #options;
  #path;
  #place;
  #protocol;
  #refill;
  #size = 1;
  #timeoutMs;

  constructor(realm, options = {}) {
    const url = (options.url || process.env.TICKID_URL || 'http://127.0.0.1:6480').trim();
    const match = /^(https?|http\+unix):\/\/([^/?#@]*)([^?#@]*)$/.exec(url);
    const isUnix = match?.[1] === 'http+unix';
    if (!match || (isUnix ? match[2] || !match[3] : !match[2])) {
      throw new TypeError(`the URL '${url}' is not http://, https:// or http+unix:///PATH`);
    }
    const { format, tls } = options;
    if (tls) createSecureContext(tls); // Throws for a bad key or certificate.
    // A token from a file or a secret often ends with a newline.
    const token = (options.token || process.env.TICKID_TOKEN || '').trim();
    if (!/^[!-~]*$/.test(token)) throw new TypeError('the token is not visible ASCII');
    if (![undefined, 'int', 'text'].includes(format)) {
      throw new TypeError(`the format '${format}' is neither 'int' nor 'text'`);
    }
    this.#format = format;
    this.#isInt = format !== 'text';
    this.#timeoutMs = within('timeoutMs', options.timeoutMs ?? 2000, 1, 2 ** 31 - 1);
    this.#maxBlock = within('maxBlock', options.maxBlock ?? 1, 1, 1000);
    this.#maxAgeMs = within('maxAgeMs', options.maxAgeMs ?? 1000, 1, 2 ** 31 - 1);
    this.#place = `${url} (realm '${realm}')`;
    this.#protocol = match[1] === 'https' ? https : http;
    const agent = new this.#protocol.Agent({ ...tls, keepAlive: true, maxSockets: 16 });
    const prefix = isUnix ? '' : new URL(url).pathname.replace(/\/+$/, '');
    this.#path = `${prefix}/v1/realms/${encodeURIComponent(realm)}`;
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    if (isUnix) {
      this.#options = { socketPath: unescape(match[3]), headers, agent };
    } else {
      const { hostname, port } = new URL(url);
      // Without the brackets of an IPv6 address.
      this.#options = { hostname: hostname.replace(/^\[|\]$/g, ''), port, headers, agent };
    }
  }

  async next() {
    const deadline = performance.now() + this.#timeoutMs;
    if (this.#maxBlock === 1) return (await this.#ids(1, deadline))[0];
    for (;;) {
      if (!this.#isFresh()) this.#block = [];
      const id = this.#block.pop();
      if (id !== undefined) return id;
      if (!this.#refill) {
        this.#refill = this.#fill(deadline).finally(() => { this.#refill = undefined; });
        return this.#refill;
      }
      // Concurrent calls share one request.
      await this.#before(deadline, this.#refill);
    }
  }

  async observe(id) {
    if (!/^(bigint|string),[\w.-]+$/.test([typeof id, id])) throw new TypeError(`'${id}' is no ID`);
    const deadline = performance.now() + this.#timeoutMs;
    const form = typeof id === 'bigint' ? 'int' : 'text';
    const path = `${this.#path}/observe?id=${encodeURIComponent(id)}&format=${form}`;
    await this.#repeat(deadline, async () => {
      const answer = await this.#send('POST', path, deadline);
      if (answer.status !== 204) throw this.#refusal(answer);
    });
    this.#block = [];
    this.#drops += 1;
  }

  /** Waits for another call's request, which may have a later deadline, or fail by an earlier. */
  async #before(deadline, refill) {
    const abort = new AbortController();
    const left = Math.max(0, deadline - performance.now());
    const timeout = sleep(left, undefined, { signal: abort.signal }).then(() => {
      throw new TickidError(`no IDs from ${this.#place}: the timeout is over`, 1000);
    });
    const own = refill.catch((error) => {
      const wait = error.cause ? 0 : error.retryAfterMs; // Of a refusal; a lost answer has a cause.
      if (!(wait < deadline - performance.now())) throw error;
    });
    await Promise.race([own, timeout]).finally(() => abort.abort());
  }

  close() {
    this.#block = [];
    this.#options.agent.destroy();
  }

  #isFresh() {
    const ages = [Date.now() - this.#made.wall, performance.now() - this.#made.monotonic];
    return ages.every((age) => Math.abs(age) < this.#maxAgeMs);
  }

  /** Fetches a block, and returns its first ID, even if the answer took longer than `maxAgeMs`. */
  async #fill(deadline) {
    // As old as the request, whatever time the answer takes.
    const made = { wall: Date.now(), monotonic: performance.now() };
    const size = this.#isFresh() ? Math.min(2 * this.#size, this.#maxBlock) : 1;
    const drops = this.#drops;
    const ids = await this.#ids(size, deadline);
    if (drops !== this.#drops) return ids[0]; // Those of later calls follow the observed ID.
    this.#block = ids.reverse();
    this.#made = made;
    this.#size = size;
    return this.#block.pop();
  }

  #ids(count, deadline) {
    return this.#repeat(deadline, () => this.#request(count, deadline));
  }

  /** Calls a function, and again until the deadline if that may help. */
  async #repeat(deadline, attempt) {
    for (let pause = 20; ; ) {
      let failure, wait;
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof Broken) {
          // The server closes connections that are idle.
          if (error.isKept && performance.now() < deadline) continue;
          const message = `no answer from ${this.#place}: ${error.message}`;
          failure = new TickidError(message, 1000, { cause: error });
          wait = pause * (0.5 + Math.random() / 2);
          pause *= 2;
        } else {
          if (error.retryAfterMs === undefined) throw error;
          failure = error;
          wait = error.retryAfterMs;
        }
      }
      if (deadline - performance.now() <= wait) throw failure;
      await sleep(wait);
    }
  }

  async #request(count, deadline) {
    const isInt = this.#isInt;
    const path = `${this.#path}/ids?count=${count}&format=${isInt ? 'int' : 'text'}`;
    const answer = await this.#send('GET', path, deadline);
    const { status, body } = answer;
    if (status === 200) {
      let ids;
      try {
        ids = JSON.parse(body).ids;
        // The integers are strings: numbers of JavaScript would be rounded.
        const form = isInt ? /^[0-9]{1,20}$/ : /^[0-9A-Za-z._-]{1,64}$/;
        const texts = new Set(ids.filter((id) => typeof id === 'string' && form.test(id)));
        if (ids.length !== count || texts.size !== count) throw new Error(`not ${count} IDs`);
      } catch (error) {
        throw new Broken(`${error.message}: ${body.slice(0, 100)}`);
      }
      if (ids.some((id) => this.#answer.has(id))) throw new Broken('an answer of a cache');
      this.#answer = new Set(ids);
      return isInt ? ids.map(BigInt) : ids;
    }
    if (status === 409 && isInt && this.#format === undefined) {
      this.#isInt = false;
      return this.#request(count, deadline);
    }
    throw this.#refusal(answer);
  }

  #refusal({ status, retryAfter, body }) {
    const hasTime = /^[1-9]\d{0,5}$/.test(retryAfter ?? '');
    const isAhead = hasTime && status === 409;
    const isTemporary = isAhead || status >= 500 || status === 408 || status === 429;
    const wait = hasTime ? Number(retryAfter) * 1000 : 1000;
    const message = `refused by ${this.#place}: ${status} ${body.slice(0, 300)}`;
    return new TickidError(message, isTemporary ? wait : undefined);
  }

  #send(method, path, deadline) {
    return new Promise((resolve, reject) => {
      const request = this.#protocol.request({ ...this.#options, method, path });
      request.end();
      const fail = (error) => {
        clearTimeout(timer);
        request.destroy();
        const broken = new Broken(error.code ?? error.message, { cause: error });
        reject(Object.assign(broken, { isKept: request.reusedSocket }));
      };
      const left = Math.max(0, deadline - performance.now());
      const timer = setTimeout(() => fail(new Error('the timeout is over')), left);
      request.on('error', fail);
      request.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (part) => {
          body += part;
          if (body.length > MOST) fail(new Error(`an answer of more than ${MOST} bytes`));
        });
        response.on('error', fail);
        response.on('end', () => {
          if (!response.complete) return fail(new Error('the answer broke off'));
          clearTimeout(timer);
          const { statusCode: status, headers } = response;
          resolve({ status, retryAfter: headers['retry-after'], body });
        });
      });
    });
  }
}

module.exports = { IdSource, TickidError };
