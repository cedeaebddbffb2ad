// The output of wasm-bindgen, which the bundler puts in.
declare module 'tickid-engine' {
  export * from 'tickid-wasm';
  export function initSync(options: { module: BufferSource }): void;
}

declare module 'tickid-engine.gz' {
  const packed: Uint8Array<ArrayBuffer>;
  export default packed;
}
