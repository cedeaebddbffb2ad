// The module is fetched from beside this file. Bundlers know this form of URL.
import start from './engine.js';

await start({ module_or_path: new URL('./engine_bg.wasm', import.meta.url) });

export * from './exports.js';
