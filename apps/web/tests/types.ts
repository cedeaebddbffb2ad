// The types as programs use them: compiled, and not run.

import {
  type Column,
  type Converted,
  type Description,
  type Inspection,
  IdGenerator,
  type Kind,
  column,
  convert,
  describe,
  find,
  fromBytes,
  inspect,
  layout,
  parse,
  presets,
  print,
  range,
  restore,
  sample,
  toBytes,
} from 'tickid-wasm';

export function uses(kind: Kind): unknown[] {
  const found: Inspection = inspect('0u375nxqh5cq', { now: Date.now(), epoch: 0n, drift: 8 });
  inspect(1541815603606036480n);
  const start: number = find('id=0u375nxqh5cq', { limit: 1 })[0]?.start ?? 0;
  const together: Column = column(['0u375nxqh5cq', 1541815603606036480n], { skip: 1 });
  const lines: number | undefined = together.summary[0]?.lines;
  // @ts-expect-error a number loses digits
  inspect(1541815603606036480);
  const id: bigint = parse(kind, 'brpk4q72xwf2m63l', 'text', { nodeSize: 8 });
  // @ts-expect-error a number loses digits
  print('sno', 5);
  // @ts-expect-error no scheme
  parse('uuid', '');
  const converted: Converted = convert('discord', kind, id, { nodes: 'low-bits', metabyte: 1 });
  const old: bigint = restore('scru64', kind, converted.id, { nodes: 7 });
  const description: Description = describe('twitter', old);
  const { min, max }: { min: bigint; max: bigint } = range(kind, 0, 1n);
  const years: string = layout('39x10ms/8s/16n@2014-09-01').span + presets()[0]?.layout;
  range('discord', 0, 1n);
  convert('discord', 'sonyflake', id, { target: { layout: 'js-safe' } });
  // @ts-expect-error no layout
  layout('leafs');
  const text: string = print(kind, sample(kind, { node: 1, sequence: 2, unixMs: 3 }), 'uuid-v7');
  const local: bigint = new IdGenerator('kuid-local', {}).generate();
  const sno: Promise<string> = new IdGenerator('sno', { node: 1, metabyte: 24 }).next();
  const discord: bigint = new IdGenerator('discord', { node: 1 }).generate();
  // @ts-expect-error no node
  new IdGenerator('nanoflake', {});
  // @ts-expect-error no size of the node
  new IdGenerator('scru64', { node: 1 });
  const made: unknown[] = [local, sno, discord, start];
  const bytes: bigint = fromBytes(kind, toBytes(kind, id));
  return [made, found, lines, years, description, min, max, text, bytes];
}
