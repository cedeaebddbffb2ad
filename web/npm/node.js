// Node's fetch does not read files.
import { readFileSync } from 'node:fs';

import { initSync } from './engine.js';

initSync({ module: readFileSync(new URL('./engine_bg.wasm', import.meta.url)) });

export * from './exports.js';
