// What `require` loads, so that a program has one engine.
export * from './node.cjs';
