export {
  column,
  convert,
  describe,
  find,
  fromBytes,
  inspect,
  kinds,
  layout,
  parse,
  presets,
  print,
  range,
  restore,
  sample,
  toBytes,
} from './engine.js';
export { IdGenerator } from './generator.js';
