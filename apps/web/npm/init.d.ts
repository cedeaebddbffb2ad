export * from './index.js';

/**
 * Starts the engine, once, before any other call. It is for runtimes that have a way of their own
 * to load WebAssembly; `tickid-wasm` itself needs no start.
 *
 * @param module the package's `engine_bg.wasm`, as a `WebAssembly.Module` or its bytes
 */
export function init(module: object): void;
