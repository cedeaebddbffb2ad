'use strict';

const http = require('node:http');
const https = require('node:https');
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');

/** Bytes of an answer. One of 1,000 IDs has less than half. */
const MOST = 1 << 17;

/** The server issued no ID. */
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
  #agent;
  #answer = new Set();
  #block = [];
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
    // A token from a file or a secret often ends with a newline.
    const token = (options.token || process.env.TICKID_TOKEN || '').trim();
    if (!/^[!-~]*$/.test(token)) {
      throw new TypeError('the token has a character that is not visible ASCII');
    }
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
    this.#agent = new this.#protocol.Agent({ ...tls, keepAlive: true, maxSockets: 16 });
    const prefix = isUnix ? '' : new URL(url).pathname.replace(/\/+$/, '');
    this.#path = `${prefix}/v1/realms/${encodeURIComponent(realm)}/ids`;
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    if (isUnix) {
      this.#options = { socketPath: decodeURIComponent(match[3]), headers };
    } else {
      const { hostname, port } = new URL(url);
      // Without the brackets of an IPv6 address.
      this.#options = { hostname: hostname.replace(/^\[|\]$/g, ''), port, headers };
    }
    this.#options.agent = this.#agent;
  }

  async next() {
    const deadline = performance.now() + this.#timeoutMs;
    if (this.#maxBlock === 1) return (await this.#fetch(1, deadline))[0];
    for (;;) {
      if (!this.#isFresh()) this.#block = [];
      const id = this.#block.pop();
      if (id !== undefined) return id;
      if (!this.#refill) {
        this.#refill = this.#fill(deadline).finally(() => { this.#refill = undefined; });
        return this.#refill;
      }
      // Concurrent calls share one request, and are served in their order.
      await this.#before(deadline, this.#refill);
    }
  }

  /** Waits for another call's request, which may have a later deadline. */
  async #before(deadline, refill) {
    const abort = new AbortController();
    const left = Math.max(0, deadline - performance.now());
    const timeout = sleep(left, undefined, { signal: abort.signal }).then(() => {
      throw new TickidError(`no IDs from ${this.#place}: the timeout is over`, 1000);
    });
    try {
      await Promise.race([refill, timeout]);
    } finally {
      abort.abort();
    }
  }

  close() {
    this.#block = [];
    this.#agent.destroy();
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
    this.#block = (await this.#fetch(size, deadline)).reverse();
    this.#made = made;
    this.#size = size;
    return this.#block.pop();
  }

  /** Requests IDs, and again until the deadline if that may help. */
  async #fetch(count, deadline) {
    for (let pause = 20; ; ) {
      let failure;
      let wait;
      try {
        return await this.#request(count, deadline);
      } catch (error) {
        if (error instanceof TickidError) {
          if (error.retryAfterMs === undefined) throw error;
          failure = error;
          wait = error.retryAfterMs;
        } else if (error instanceof Broken) {
          // The server closes connections that are idle.
          if (error.isKept && performance.now() < deadline) continue;
          const message = `no IDs from ${this.#place}: ${error.message}`;
          failure = new TickidError(message, 1000, { cause: error });
          wait = pause * (0.5 + Math.random() / 2);
          pause *= 2;
        } else {
          throw error;
        }
      }
      if (deadline - performance.now() <= wait) throw failure;
      await sleep(wait);
    }
  }

  async #request(count, deadline) {
    const isInt = this.#isInt;
    const { status, retryAfter, body } = await this.#get(
      `${this.#path}?count=${count}&format=${isInt ? 'int' : 'text'}`, deadline);
    if (status === 200) {
      let ids;
      try {
        ids = JSON.parse(body).ids;
        // The integers are strings: numbers of JavaScript would be rounded.
        const form = isInt ? /^[0-9]{1,20}$/ : /^[0-9A-Za-z_-]{1,64}$/;
        const texts = new Set(ids.filter((id) => typeof id === 'string' && form.test(id)));
        if (ids.length !== count || texts.size !== count) throw new Error(`not ${count} IDs`);
      } catch (error) {
        throw new Broken(`${error.message}: ${body.slice(0, 100)}`);
      }
      if (ids.some((id) => this.#answer.has(id))) {
        throw new Broken('an answer that was given before, by a cache for example');
      }
      this.#answer = new Set(ids);
      return isInt ? ids.map(BigInt) : ids;
    }
    if (status === 409 && isInt && this.#format === undefined) {
      this.#isInt = false;
      return this.#request(count, deadline);
    }
    const isTemporary = status >= 500 || status === 408 || status === 429;
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 1;
    const message = `no IDs from ${this.#place}: ${status} ${body.slice(0, 300)}`;
    throw new TickidError(message, isTemporary ? seconds * 1000 : undefined);
  }

  #get(path, deadline) {
    return new Promise((resolve, reject) => {
      const request = this.#protocol.get({ ...this.#options, path });
      const fail = (error) => {
        clearTimeout(timer);
        request.destroy();
        const broken = new Broken(error.code ?? error.message);
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
