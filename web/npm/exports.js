export {
  convert,
  describe,
  fromBytes,
  inspect,
  kinds,
  parse,
  print,
  range,
  restore,
  sample,
  toBytes,
} from './engine.js';
