export {
  convert,
  describe,
  fromBytes,
  inspect,
  parse,
  print,
  range,
  restore,
  sample,
  toBytes,
} from './engine.js';
