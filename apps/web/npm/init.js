import { initSync } from './engine.js';

export function init(module) {
  initSync({ module });
}

export * from './exports.js';
