/// <reference types="node" />
import type { SecureContextOptions } from 'node:tls';

/** The form of IDs: `'int'` is a `bigint`; without one it follows the scheme of the realm. */
export type Form = 'int' | 'text' | undefined;

export interface IdSourceOptions<F extends Form = Form> {
  /** `http://HOST:PORT`, `https://HOST:PORT` or `http+unix:///PATH`; by default `$TICKID_URL`. */
  url?: string;
  /** By default `$TICKID_TOKEN`. */
  token?: string;
  /** The server's `?as=`, here for integers and the canonical text only. */
  form?: F;
  /** The longest time of a call, with all its attempts: 2000. */
  timeoutMs?: number;
  /** Above 1, the default, IDs are fetched in blocks of at most so many, up to 1000. */
  maxBlock?: number;
  /** The age at which a block is dropped, by the wall clock or the monotonic one: 1000. */
  maxAgeMs?: number;
  /** Authorities and the client's certificate, for https. */
  tls?: SecureContextOptions;
}

/** The type of an ID, by its form. */
export type Id<F extends Form> =
  F extends 'int' ? bigint : F extends 'text' ? string : bigint | string;

/** IDs of one realm of a tickid server. */
export class IdSource<F extends Form = undefined> {
  constructor(realm: string, options?: IdSourceOptions<F>);
  /**
   * Returns an ID, greater than those of earlier awaited calls from the same server. Rejects with a
   * `TickidError` if there is none within the timeout.
   */
  next(): Promise<Id<F>>;
  /** Returns 1 to 1000 IDs of one request, as `next` does one, and drops the block. */
  take(count: number): Promise<Id<F>[]>;
  /**
   * Makes the IDs of later calls greater than `id`, which came from elsewhere. It binds the server
   * that answers, and drops the block. Rejects with a `TickidError` if the server refuses, as it
   * does with an ID too far ahead of its clock.
   */
  observe(id: Id<F>): Promise<void>;
  /** Closes the kept connections, which keep no process alive. */
  close(): void;
  /** Calls `close` at the end of a block that begins with `using`. */
  [Symbol.dispose](): void;
}

/** The server issued no ID, or refused one. */
export class TickidError extends Error {
  /** The time after which the same call may succeed; undefined if it cannot. */
  readonly retryAfterMs: number | undefined;
}
