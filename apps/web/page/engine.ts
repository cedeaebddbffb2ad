// The detector, compiled to WebAssembly. It is part of the page: nothing is fetched.

import { initSync } from 'tickid-engine';
import packed from 'tickid-engine.gz';

const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
initSync({ module: await new Response(unpacked).arrayBuffer() });

export {
  column,
  convert,
  find,
  inspect,
  kinds,
  layout,
  presets,
  print,
  range,
  sample,
} from 'tickid-engine';
