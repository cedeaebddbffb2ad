// Node's fetch does not read files. The build makes this one file, `node.cjs`.
import { readFileSync } from 'node:fs';

import { initSync } from './engine.js';

initSync({ module: readFileSync(new URL('./engine_bg.wasm', import.meta.url)) });

export * from './exports.js';
