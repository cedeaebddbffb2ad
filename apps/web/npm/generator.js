import { Generator } from './engine.js';

export class IdGenerator {
  #engine;

  constructor(kind, options) {
    this.#engine = new Generator(kind, options);
  }

  generate() {
    return this.#engine.generate();
  }

  async next(maxWaitMs = 60_000) {
    let left = maxWaitMs;
    for (;;) {
      try {
        return this.generate();
      } catch (error) {
        const { retryAfterMs } = error;
        if (retryAfterMs === undefined || retryAfterMs > left) throw error;
        left -= retryAfterMs;
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
      }
    }
  }
}
