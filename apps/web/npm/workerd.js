// Workers have no files. They import WebAssembly as a module that is compiled already.
import module from './engine_bg.wasm';

import { initSync } from './engine.js';

initSync({ module });

export * from './exports.js';
