'use strict';

const http = require('node:http');
const https = require('node:https');
const { performance } = require('node:perf_hooks');
const { unescape } = require('node:querystring');
const { setTimeout: sleep } = require('node:timers/promises');
const { createSecureContext } = require('node:tls');

/** Bytes of an answer. One of 1,000 IDs has less than half. */
const MOST = 1 << 17;
// The integers are strings: numbers of JavaScript would be rounded.
const FORMS = { int: /^[0-9]{1,20}$/, text: /^[0-9A-Za-z._-]{1,64}$/ };

/** The server issued no ID, or refused one. */
class TickidError extends Error {
  constructor(message, retryAfterMs, options) {
    const when = retryAfterMs === undefined ? '' : `; retry after ${retryAfterMs} ms`;
    super(message + when, options);
    Object.assign(this, { name: 'TickidError', retryAfterMs });
  }
}

const within = (name, value, least, most) => {
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    throw new RangeError(`${name} ${value} is not an integer in ${least}..=${most}`);
  }
  return value;
};

const settle = (call, how, value) => {
  clearTimeout(call.timer);
  call.calls.delete(call);
  call[how](value);
};

/** IDs of one realm of a tickid server. */
class IdSource {
  #answer = new Set();
  #block = [];
  #drops = 0;
  #forms;
  #made = { wall: -Infinity, monotonic: -Infinity };
  #maxAgeMs;
  #maxBlock;
  #options;
  #path;
  #place;
  #protocol;
  #size = 1;
  #timeoutMs;
  #waiting = new Set(); // Calls, from the first on, for IDs of blocks.

  constructor(realm, options = {}) {
    const url = (options.url || process.env.TICKID_URL || 'http://127.0.0.1:6480').trim();
    const match = /^(https?|http\+unix):\/\/([^/?#@]*)([^?#@]*)$/.exec(url);
    const isUnix = match?.[1] === 'http+unix';
    if (!match || (isUnix ? match[2] || !match[3] : !match[2])) {
      throw new TypeError(`the URL '${url}' is not http://, https:// or http+unix:///PATH`);
    }
    const { form, tls } = options;
    if (tls) createSecureContext(tls); // Throws for a bad key, but not for a bad `ca`.
    if (![tls?.ca ?? []].flat().every((ca) => /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/.test(ca))) {
      throw new TypeError('tls.ca is not the text of a PEM file');
    }
    // A token from a file or a secret often ends with a newline.
    const token = (options.token || process.env.TICKID_TOKEN || '').trim();
    if (!/^[!-~]*$/.test(token)) throw new TypeError('the token is not visible ASCII');
    if (![undefined, 'int', 'text'].includes(form)) {
      throw new TypeError(`the form '${form}' is neither 'int' nor 'text'`);
    }
    this.#forms = form ? [form] : ['int', 'text'];
    this.#timeoutMs = within('timeoutMs', options.timeoutMs ?? 2000, 1, 2 ** 31 - 1);
    this.#maxBlock = within('maxBlock', options.maxBlock ?? 1, 1, 1000);
    this.#maxAgeMs = within('maxAgeMs', options.maxAgeMs ?? 1000, 1, 2 ** 31 - 1);
    this.#place = `${url} (realm '${realm}')`;
    this.#protocol = match[1] === 'https' ? https : http;
    const agent = new this.#protocol.Agent({ ...tls, keepAlive: true, maxSockets: 16 });
    const { hostname, port, pathname } = new URL(isUnix ? 'http://localhost' : url);
    this.#path = `${pathname.replace(/\/+$/, '')}/v1/realms/${encodeURIComponent(realm)}`;
    this.#options = {
      hostname: hostname.replace(/^\[|\]$/g, ''), // Without the brackets of an IPv6 address.
      port,
      socketPath: isUnix ? unescape(match[3]) : undefined,
      headers: token ? { authorization: `Bearer ${token}` } : {},
      agent,
    };
  }

  async next() {
    if (this.#maxBlock === 1) return (await this.#direct((left) => this.#request(1, left)))[0];
    return this.#pop() ?? this.#call(this.#waiting, () => this.#fill());
  }

  async take(count) {
    const ids = await this.#direct((left) => this.#request(within('count', count, 1, 1000), left));
    this.#drop();
    return ids;
  }

  async observe(id) {
    const form = { bigint: 'int', string: 'text' }[typeof id];
    if (!this.#forms.includes(form) || !FORMS[form].test(id)) {
      throw new TypeError(`'${id}' is no ID of ${this.#place}`);
    }
    await this.#direct((left) => this.#send(204, 'POST', `observe?id=${id}`, left, form));
    this.#drop();
  }

  close() { this.#options.agent.destroy(); }

  [Symbol.dispose ?? Symbol('dispose')]() { this.close(); }

  #drop() { [this.#block, this.#drops] = [[], this.#drops + 1]; }

  #pop() {
    if (!this.#isFresh()) this.#block = [];
    return this.#block.pop();
  }

  #isFresh() {
    const ages = [Date.now() - this.#made.wall, performance.now() - this.#made.monotonic];
    return ages.every((age) => Math.abs(age) < this.#maxAgeMs);
  }

  /** Fetches a block, for as many calls as wait. */
  async #fill() {
    const made = { wall: Date.now(), monotonic: performance.now() }; // As old as its request.
    const next = Math.min(this.#isFresh() ? 2 * this.#size : 1, this.#maxBlock);
    const size = Math.max(next, Math.min(this.#waiting.size, this.#maxBlock));
    const [first, drops] = [[], this.#drops];
    for (const call of this.#waiting) if (first.push(call) === size) break;
    const ids = (await this.#request(size, this.#timeoutMs)).reverse();
    // These have their IDs even if the answer took longer than `maxAgeMs`.
    for (const call of first) if (this.#waiting.has(call)) settle(call, 'resolve', ids.pop());
    if (drops !== this.#drops) return; // Later calls follow the observed ID.
    [this.#block, this.#made, this.#size] = [ids, made, next];
    for (const call of this.#waiting) {
      const id = this.#pop();
      if (id === undefined) return;
      settle(call, 'resolve', id);
    }
  }

  #call(calls, attempt) {
    return new Promise((resolve, reject) => {
      const call = { calls, resolve, reject, deadline: performance.now() + this.#timeoutMs };
      const late = () => settle(call, 'reject', this.#lost(new Error('the timeout is over'), 1000));
      call.timer = setTimeout(late, this.#timeoutMs);
      calls.add(call);
      this.#serve(calls, attempt);
    });
  }

  #direct(attempt) {
    return this.#call(new Set(), async (call) => {
      settle(call, 'resolve', await attempt(call.deadline - performance.now()));
    });
  }

  /** Attempts while there are calls, which an attempt settles. */
  async #serve(calls, attempt) {
    if (calls.isServed) return;
    calls.isServed = true;
    for (let pause = 20; calls.size > 0; ) {
      try {
        await attempt(calls.values().next().value);
      } catch (error) {
        let wait = error.retryAfterMs ?? Infinity;
        if (error.cause && wait < Infinity) {
          wait = pause * (0.5 + Math.random() / 2);
          pause = Math.min(2 * pause, 200);
        }
        for (const call of calls) {
          if (call.deadline - performance.now() <= wait) settle(call, 'reject', error);
        }
        if (calls.size > 0) await sleep(wait);
      }
    }
    calls.isServed = false;
  }

  async #request(count, left) {
    const body = await this.#send(200, 'GET', `ids?count=${count}`, left);
    const [form] = this.#forms;
    try {
      const { ids } = JSON.parse(body);
      const isNew = (id) => typeof id === 'string' && FORMS[form].test(id) && !this.#answer.has(id);
      const found = new Set(ids.filter(isNew));
      if (ids.length !== count || found.size !== count) throw new Error(`not ${count} new IDs`);
      this.#answer = found;
      return form === 'int' ? ids.map(BigInt) : ids;
    } catch (error) {
      throw this.#lost(new Error(`${error.message}: ${body.slice(0, 100)}`), 1000);
    }
  }

  #lost(cause, retryAfterMs) {
    const message = `no answer from ${this.#place}: ${cause.code ?? cause.message}`;
    return new TickidError(message, retryAfterMs, { cause });
  }

  /** Returns an answer of the status. */
  async #send(expected, method, query, left, form = this.#forms[0]) {
    const path = `${this.#path}/${query}${form === 'text' ? '' : `&as=${form}`}`; // The default.
    const { status, retryAfter, body } = await this.#exchange(method, path, left);
    if (status === expected) return body;
    if (status === 409 && expected === 200 && form !== this.#forms.at(-1)) {
      this.#forms = ['text'];
      return this.#send(expected, method, query, left);
    }
    const hasTime = /^[1-9]\d{0,5}$/.test(retryAfter ?? '');
    const isTemporary = status >= 500 || [408, 429, hasTime && 409].includes(status);
    const wait = isTemporary ? (hasTime ? Number(retryAfter) * 1000 : 1000) : undefined;
    throw new TickidError(`refused by ${this.#place}: ${status} ${body.slice(0, 300)}`, wait);
  }

  #exchange(method, path, left) {
    return new Promise((resolve, reject) => {
      const request = this.#protocol.request({ ...this.#options, method, path });
      request.end();
      const fail = (error) => {
        clearTimeout(timer);
        request.destroy();
        // A certificate, an alert, or what is no TLS.
        const isFinal = request.socket?.authorizationError || /^(ERR_SSL_|EPROTO)/.test(error.code);
        reject(this.#lost(error, isFinal ? undefined : 1000));
      };
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
