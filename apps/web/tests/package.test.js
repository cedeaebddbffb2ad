import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';

import { build } from 'esbuild';

import {
  assertAgreement,
  commandReadings,
  everyText,
  out,
  root,
  tickid,
  vectors,
  withoutCommand,
} from './support.js';

const tickidOfNode = await import(new URL('npm/node.js', out));
const { column, convert, describe, find, fromBytes } = tickidOfNode;
const { inspect, layout, parse, presets, print } = tickidOfNode;
const { IdGenerator, range, restore, sample, toBytes } = tickidOfNode;

const KINDS = tickidOfNode.kinds().map(({ kind }) => kind);
const DETECT = vectors('detect');

/** Runs a program of `node_modules`, or one of Node's. */
function run(program, words, cwd) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** Reports whether a reading is what an entry's label says. */
function isLabelled({ format, form, isInUuid }, label) {
  if (label.form === 'carried') return isInUuid;
  // Of one layout and epoch; a number of it is Twitter's.
  const expected = label.format === 'twitter' ? 'nanoflake' : label.format;
  // A text of a scheme goes by its name.
  const isText = !['int', 'hex', 'bytes', 'tuple'].includes(form);
  const word = label.form === 'integer' ? 'int' : label.form;
  return format === expected && (word === 'text' ? isText : form === word) && !isInUuid;
}

test('the types list every kind', () => {
  const types = readFileSync(new URL('npm/index.d.ts', out), 'utf8');
  const [, kinds] = types.match(/export type Kind = ([^;]+);/);
  const words = (union) => union.match(/'[^']+'/g).map((word) => word.slice(1, -1));
  assert.deepEqual(words(kinds), KINDS);
  const [, foreign] = types.match(/export type Foreign =([^;]+);/);
  const names = presets().map(({ names: [name] }) => name);
  assert.deepEqual(words(foreign).sort(), [...names, 'mastodon'].sort());
});

test('labelled IDs are recognized as often as by the library', () => {
  const shares = new Map();
  for (const label of DETECT.ids) {
    const { readings, likely } = inspect(label.text, { now: DETECT.now_ms });
    const isIt = (reading) => isLabelled(reading, label);
    const isRight = isIt(readings[0]);
    assert.ok(isRight || readings[0].confidence !== 'certain', label.text);
    const reading = readings.find(isIt);
    assert.ok(reading, label.text);
    if (label.unix_ms !== undefined) assert.equal(reading.unixMs, label.unix_ms, label.text);
    const name = `${label.format} | ${label.form}`;
    const [first, shown, all] = shares.get(name) ?? [0, 0, 0];
    const isShown = readings.slice(0, likely).some(isIt);
    shares.set(name, [first + Number(isRight), shown + Number(isShown), all + 1]);
  }
  const rows = [...shares].map(([name, counts]) => `| ${name} | ${counts.join(' | ')} |`);
  const table = rows.sort().join('\n');
  // The library's tests write this table, and have a floor for each format.
  const tables = readFileSync(new URL('crates/detect/tests/it/accuracy.txt', root), 'utf8');
  assert.ok(tables.includes(`|---|---|---:|---:|---:|\n${table}\n\n`), table);
});

test('ambiguous integers are read as each', () => {
  for (const { text, formats } of DETECT.ambiguous) {
    const { readings } = inspect(BigInt(text), { now: DETECT.now_ms });
    assert.notEqual(readings[0].confidence, 'certain', text);
    for (const format of formats) {
      assert.ok(readings.some((reading) => reading.format === format), `${text} as ${format}`);
    }
  }
});

test('other texts are never certain', () => {
  const { others, now_ms: now } = vectors('texts');
  for (const text of others.flatMap(({ texts }) => texts)) {
    const [first] = inspect(text, { now }).readings;
    assert.notEqual(first?.confidence, 'certain', text);
  }
});

test('recorded IDs are read and written', () => {
  let count = 0;
  const check = (kind, id, texts) => {
    for (const [form, text] of Object.entries(texts)) {
      assert.equal(print(kind, id, form), text);
      assert.equal(parse(kind, text, form), id, text);
      count += 1;
    }
    assert.equal(fromBytes(kind, toBytes(kind, id)), id);
    const uuid = print(kind, id, 'uuid');
    assert.equal(parse(kind, uuid, 'uuid'), id, uuid);
  };
  for (const { text, num, timestamp, node_ctr: low } of vectors('scru64').ids) {
    check('scru64', BigInt(num), { text, int: num });
    const values = describe('scru64', BigInt(num)).fields.map(({ value }) => Number(value));
    assert.deepEqual(values, [Number(timestamp), low]);
  }
  for (const { value, base36, epoch_ms: epoch, unix_ms: unixMs } of vectors('nanoflake').ids) {
    check('nanoflake', BigInt(value), { text: base36, int: value });
    assert.equal(describe('nanoflake', BigInt(value), { epoch }).unixMs, unixMs);
  }
  for (const { bytes, d64, base64url, unix_ms: unixMs } of vectors('kuid').local) {
    const id = BigInt(`0x${bytes}`);
    check('kuid-local', id, { text: d64, hex: bytes, url: base64url });
    assert.equal(describe('kuid-local', id).unixMs, Math.floor(unixMs));
  }
  for (const { bytes, d64, base64url, drift, unix_ms: unixMs } of vectors('kuid').global) {
    const id = BigInt(`0x${bytes}`);
    check('kuid-global', id, { text: d64, hex: bytes, url: base64url });
    assert.equal(describe('kuid-global', id, { drift }).unixMs, Math.floor(unixMs));
  }
  for (const { bytes, text, unix_ns: unixNs, meta, sequence } of vectors('sno').ids) {
    const id = BigInt(`0x${bytes}`);
    check('sno', id, { text, hex: bytes });
    const { unixMs, fields } = describe('sno', id);
    assert.equal(BigInt(unixMs), BigInt(unixNs) / 1_000_000n);
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, Number(value)]));
    assert.deepEqual([values.meta, values.sequence], [meta, sequence]);
  }
  assert.ok(count > 1_500, `${count} texts`);
});

test('recorded texts that are no IDs throw', () => {
  for (const text of vectors('scru64').invalid_text) {
    assert.throws(() => parse('scru64', text), { name: 'SyntaxError' }, text);
  }
  for (const { type, num } of vectors('scru64').invalid_num) {
    assert.throws(() => print('scru64', BigInt(num)), { name: 'RangeError' }, `${type} ${num}`);
  }
});

test('conversions are reversed', () => {
  const options = { nodes: 'low-bits' };
  let exact = 0;
  for (const { text } of DETECT.ids) {
    for (const { kind, id } of inspect(text, { now: DETECT.now_ms }).readings) {
      for (const to of kind === null ? [] : KINDS.filter((other) => other !== kind)) {
        let converted;
        try {
          converted = convert(kind, to, id, options);
        } catch (error) {
          // A time that the target does not have, or a node that it needs.
          assert.ok(error instanceof RangeError, String(error));
          continue;
        }
        assert.equal(print(to, converted.id), converted.text);
        if (!converted.loss.isRestorable) continue;
        assert.equal(restore(kind, to, converted.id, options), id, `${kind} ${id} as ${to}`);
        exact += 1;
      }
    }
  }
  assert.ok(exact > 1_000, `${exact} conversions`);
});

test('the time that a conversion loses may be an hour', () => {
  const since = Date.UTC(2024, 0, 1, 0, 59, 59);
  const { min } = range('sno', since, since + 1_000);
  const { loss } = convert('sno', '20x3600s/20n/18s@2010-01-01', min);
  assert.equal(loss.timeMicros, (59 * 60 + 59) * 1_000_000);
});

test('ranges hold the IDs of their time', () => {
  const [since, until] = [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 2)];
  for (const kind of KINDS) {
    const { min, max } = range(kind, since, until);
    for (const [unixMs, isIn] of [
      [since + 1_000, true],
      [until - 1_000, true],
      [since - 2_000, false],
      [until + 2_000, false],
    ]) {
      const id = sample(kind, { unixMs, sequence: 3 });
      // Without a node, global kuids sort by time as well, down to the drift.
      const isFound = min <= id && id <= max;
      if (kind !== 'kuid-global' || isIn) assert.equal(isFound, isIn, `${kind} ${unixMs - since}`);
    }
  }
});

test('samples have the fields they were given', () => {
  const unixMs = Date.UTC(2026, 4, 6, 7, 8, 9, 256);
  for (const [kind, given, names] of [
    ['scru64', { node: 42, sequence: 5, nodeSize: 8 }, ['node_id', 'counter']],
    ['nanoflake', { node: 33, sequence: 5 }, ['worker', 'sequence']],
    ['kuid-global', { node: 4_294_967_295, sequence: 5 }, ['node', 'sequence']],
    ['sno', { node: 65_535, sequence: 5 }, ['partition', 'sequence']],
  ]) {
    const { nodeSize } = given;
    const layouts = nodeSize === undefined ? {} : { nodeSize };
    const { fields, unixMs: made } = describe(kind, sample(kind, { unixMs, ...given }), layouts);
    assert.ok(made <= unixMs && made > unixMs - 256, `${kind} ${made}`);
    const values = names.map((name) => fields.find((field) => field.name === name).value);
    // Nanoflake's datacenter and worker are the generator ID: 33 is 1 and 1.
    assert.deepEqual(values, [kind === 'nanoflake' ? 1n : BigInt(given.node), 5n]);
  }
});

const GENERATORS = [
  ['scru64', { node: 5, nodeSize: 8 }],
  ['nanoflake', { node: 5 }],
  ['kuid-local', {}],
  ['kuid-global', { node: 5 }],
  ['sno', { node: 5, metabyte: 24 }],
  ['snowflake', { node: 5 }],
  ['discord', { node: 5 }],
  ['39x10ms/8s/16n@2014-09-01', { node: 5 }],
];

test('generated IDs ascend and show their time', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 22, 12) });
  for (const [kind, options] of GENERATORS) {
    const generator = new IdGenerator(kind, options);
    let last;
    let refusals = 0;
    for (let made = 0; made < 20_000; ) {
      const now = Date.now();
      let id;
      try {
        id = generator.generate();
      } catch (error) {
        assert.equal(error.name, 'GenerateError');
        t.mock.timers.setTime(now + error.retryAfterMs);
        refusals += 1;
        continue;
      }
      made += 1;
      assert.ok(last === undefined || id > last, `${kind}: ${id} after ${last}`);
      last = id;
      if (made % 5_000 > 0) continue;
      const number = typeof id === 'string' ? parse(kind, id) : id;
      const { unixMs, fields } = describe(kind, number, options);
      // SCRU64's counter starts anywhere in each tick, and continues in the next one. That ten ticks
      // in a row start so late never happens.
      const ahead = kind === 'scru64' ? 10 * 256 : 4;
      assert.ok(unixMs <= now + ahead && unixMs > now - 257, `${kind}: ${unixMs} at ${now}`);
      const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
      if (kind === 'kuid-global') assert.equal(values.node, 5n);
      if (kind === 'sno') assert.deepEqual([values.partition, values.meta], [5n, 24n]);
      t.mock.timers.setTime(now + 1);
    }
    // 4,096 and 256 in a tick.
    if (/^(nano|snow|39x|disc)/.test(kind)) assert.ok(refusals > 0, kind);
  }
});

test('exhausted generators tell when to retry', async (t) => {
  const now = Date.UTC(2026, 10, 22, 12);
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now });
  const generator = new IdGenerator('39x10ms/8s/16n@2014-09-01', { node: 5 });
  t.mock.timers.setTime(now + 3);
  const ids = Array.from({ length: 256 }, () => generator.generate());
  assert.equal(new Set(ids).size, 256);
  const refused = { name: 'GenerateError', retryAfterMs: 7, message: /sequences .* used up/ };
  assert.throws(() => generator.generate(), refused);
  await assert.rejects(generator.next(6), refused);
  const waiting = generator.next();
  t.mock.timers.tick(7);
  assert.ok((await waiting) > ids.at(-1));
  // Waiting does not help a layout that has ended.
  const ended = new IdGenerator('baidu', { node: 5 });
  assert.throws(() => ended.generate(), ({ name, retryAfterMs }) => {
    return name === 'GenerateError' && retryAfterMs === undefined;
  });
});

test('a clock that goes back is waited for', async (t) => {
  const now = Date.UTC(2026, 10, 22, 12);
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now });
  const generator = new IdGenerator('discord', { node: 5 });
  const last = generator.generate();
  t.mock.timers.setTime(now - 3_000);
  assert.throws(() => generator.generate(), { name: 'GenerateError', retryAfterMs: 3_000 });
  const waiting = generator.next();
  t.mock.timers.tick(3_000);
  assert.ok((await waiting) > last);
});

test('generators refuse wrong nodes', () => {
  for (const [args, name, message] of [
    [['nanoflake'], 'TypeError', /the option node is missing/],
    [['nanoflake', { node: 1_024 }], 'RangeError', /1024 is outside of 0\.\.=1023/],
    [['scru64', { node: 1 }], 'TypeError', /the option nodeSize is missing/],
    [['kuid-local', { node: 1 }], 'TypeError', /kuid local IDs have no node/],
    [['nanoflake', { node: 1, metabyte: 1 }], 'TypeError', /Nanoflake IDs have no metabyte/],
    [['sno', { node: 1, metabyte: 256 }], 'RangeError', /256 is outside of 0\.\.=255/],
  ]) {
    assert.throws(() => new IdGenerator(...args), { name, message });
  }
});

test('a worker runs it without files', async () => {
  const wasm = {
    name: 'wasm',
    setup({ onLoad }) {
      onLoad({ filter: /\.wasm$/ }, () => ({ contents: 'export default MODULE' }));
    },
  };
  const bytes = readFileSync(new URL('npm/engine_bg.wasm', out));
  const { Date, TextDecoder, TextEncoder, WebAssembly, crypto, performance } = globalThis;
  for (const [entry, start] of [
    ['workerd.js', ''],
    ['init.js', 'tickid.init(MODULE);'],
  ]) {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(`npm/${entry}`, out))],
      bundle: true,
      define: { 'import.meta.url': '""' },
      format: 'iife',
      globalName: 'tickid',
      platform: 'neutral',
      plugins: [wasm],
      write: false,
    });
    const MODULE = new WebAssembly.Module(bytes);
    const world = { Date, MODULE, TextDecoder, TextEncoder, WebAssembly, crypto, performance };
    const program = `${outputFiles[0].text};${start}
      const id = new tickid.IdGenerator('sno', { node: 5 }).generate();
      [id, tickid.inspect(id).readings[0].name]`;
    const [id, name] = runInNewContext(program, world);
    assert.match(id, /^[2-9a-x]{16}$/);
    assert.equal(name, 'sno');
  }
});

test('wrong arguments throw and break nothing', () => {
  const junk = [
    undefined, null, true, 0, -1, 1.5, NaN, Infinity, 2 ** 64, 0n, -1n, 1n << 64n, 1n << 300n, '',
    'sno', 'text', '\u0000', '\ud800', 'x'.repeat(100_000), Symbol('a'), [], {}, () => 1,
    new Uint8Array(10), new Uint8Array(1 << 16), { epoch: NaN }, { epoch: 1n << 80n },
    { drift: 'x' }, { nodeSize: -1 }, { nodes: -1 }, { metabyte: 256 }, { source: 7 },
    { unixMs: 8.64e15 }, { node: 2 ** 32 }, { now: -(2 ** 53) },
  ]; // prettier-ignore
  const names = ['TypeError', 'RangeError', 'SyntaxError', 'GenerateError'];
  const generate = (...args) => new IdGenerator(...args).generate();
  const calls = [...Object.values(tickidOfNode), generate];
  let seed = 7;
  const pick = (list) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1;
    return list[seed % list.length];
  };
  const good = ['sno', 'kuid-global', 'scru64', 'discord', 5n, 'hex', 'uuid', 0];
  for (let round = 0; round < 20_000; round += 1) {
    const call = pick(calls);
    const args = Array.from({ length: seed % 5 }, () => pick(pick([junk, good])));
    try {
      call(...args);
    } catch (error) {
      assert.ok(names.includes(error.name), `${call.name} ${args.map(String)}: ${error.stack}`);
    }
  }
  assert.equal(parse('sno', print('sno', 7n)), 7n);
});

test('errors name the value and the range', () => {
  for (const [call, name, message] of [
    [() => inspect(5), 'TypeError', /a number loses digits/],
    [() => find(5n), 'TypeError', /the text is not a string/],
    [() => column('a'), 'TypeError', /the texts are not an array/],
    [() => column(['a', 5]), 'TypeError', /a number loses digits/],
    [() => print('snow', 5n), 'TypeError', /none of scru64, .*: 'snow'/],
    [() => print('nanoflake', 1n << 63n), 'RangeError', /9223372036854775808 is outside of 0\.\./],
    [() => parse('sno', 'abc'), 'SyntaxError', /3 bytes long, not 16/],
    [() => inspect('a', { drift: 11 }), 'RangeError', /drift in bits 11 is outside of 5\.\.=10/],
    [() => sample('nanoflake', { node: 1_024 }), 'RangeError', /1024 is outside of 0\.\.=1023/],
    [() => range('sno', 2, 1), 'RangeError', /\.002Z is not before until/],
    [() => range('scru64', 1, 256), 'RangeError', /no ID shows a time from .*\.001Z to before/],
    [() => fromBytes('sno', new Uint8Array(8)), 'RangeError', /8 bytes, but sno IDs have 10/],
    [() => convert('scru64', 'sno', 1n << 24n), 'RangeError', /needs one, of 16 bits/],
  ]) {
    assert.throws(call, { name, message });
  }
});

test('readings agree with the command', { skip: withoutCommand }, (t) => {
  const texts = everyText();
  const expected = commandReadings(texts);
  const found = texts.map((text) => inspect(text));
  const count = assertAgreement(found, expected);
  t.diagnostic(`shown: ${count} readings of ${texts.length} texts in Node, as the command's`);
});

test('IDs are found where the command finds them', { skip: withoutCommand }, (t) => {
  const texts = everyText();
  // Each among others, glued to another, and behind characters of two units.
  const lines = texts.map((text, index) => {
    const other = texts[(index + 1) % texts.length];
    return `${index} 😀é id=${text}&${other} "${text}" req-${text}-1 größe${text}`;
  });
  const there = tickid(['inspect', '--find', '--json'], `${lines.join('\n')}\n`);
  const expected = there.trim().split('\n').map((line) => JSON.parse(line));
  const here = lines.flatMap((line, index) =>
    find(line, { limit: 1 }).map(({ start, end, text, readings: [first] }) => {
      assert.equal(line.slice(start, end), text);
      const column = [...line.slice(0, start)].length + 1;
      return { scheme: first.format, line: index + 1, column };
    }),
  );
  const places = expected.map(({ scheme, line, column }) => ({ scheme, line, column }));
  assert.deepEqual(here, places);
  assert.ok(here.length > texts.length, `${here.length} IDs in ${texts.length} lines`);
  t.diagnostic(`shown: ${here.length} IDs in ${texts.length} lines in Node, as the command's`);
});

test('columns agree with the command', { skip: withoutCommand }, () => {
  const columns = new Map();
  for (const { format, text } of DETECT.ids) {
    columns.set(format, [...(columns.get(format) ?? []), text]);
  }
  // Several formats end an agreement, and texts without an ID are counted.
  columns.set('mixed', [...columns.get('mastodon'), 'NULL', ...columns.get('twitter')]);
  for (const [name, texts] of columns) {
    const there = tickid(['inspect', '--summary', '--json'], `${texts.join('\n')}\n`);
    const expected = there.trim().split('\n').map((line) => JSON.parse(line));
    const { inspections, summary } = column(texts);
    const here = summary.map(({ format, lines, firstMs, lastMs, also }) => ({
      scheme: format,
      lines,
      first_ms: firstMs,
      last_ms: lastMs,
      also: also.map((other) => other.format),
    }));
    const named = expected.map(({ scheme, lines, first_ms, last_ms, also = [] }) => {
      return { scheme, lines, first_ms, last_ms, also };
    });
    assert.deepEqual(here, named, name);
    assert.equal(inspections.length, texts.length);
    assert.deepEqual(column(texts, { skip: 5 }).inspections.length, texts.length - 5);
  }
  // Each of these alone is only possible.
  const instagram = (hour) => {
    const ms = 1_709_600_000_000n - 1_314_220_021_721n + hour * 4_567_891n;
    return (ms << 23n) | (1_341n << 10n) | ((hour * 397n) % 1_024n);
  };
  const ids = Array.from({ length: 10 }, (_, hour) => instagram(BigInt(hour)));
  assert.equal(inspect(ids[0]).likely, 0);
  const together = column(ids).inspections.map(({ readings: [first] }) => first.format);
  assert.deepEqual(new Set(together), new Set(['instagram']));
});

test('layouts agree with the command', { skip: withoutCommand }, () => {
  const specs = presets().flatMap(({ names, layout }) => [...names, layout]);
  for (const spec of [...specs, '39x10ms/8s/16n@2014-09-01', '28x3600s/1n/2s@2026-01-01']) {
    const there = JSON.parse(tickid(['layout', '--json', spec]));
    assert.deepEqual(layout(spec), there);
  }
  assert.throws(() => layout('39x10ms/8s/99n@0'), { name: 'RangeError' });
  assert.throws(() => layout('leafs'), { name: 'RangeError' });
});

test('layouts stand for Snowflakes of them', { skip: withoutCommand }, () => {
  const DAY = 86_400_000;
  const ends = (words) => tickid(words).trim().split('\n').map(BigInt);
  const dayOf = ({ first }) => [first.unix_ms + 400 * DAY, first.unix_ms + 401 * DAY];
  const words = ([since, until]) => ['--since', `${since}`, '--until', `${until}`];
  for (const preset of presets()) {
    const [[name], [since, until]] = [preset.names, dayOf(preset)];
    const times = words([since, until]);
    const { min, max } = range(name, since, until);
    assert.deepEqual([min, max], ends(['range', name, ...times]), name);
    assert.deepEqual(range('snowflake', since, until, { layout: name }), { min, max });
  }
  // Of formats that are only read, texts if they are no integers.
  const day = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  const integers = ['mastodon', 'tiktok', 'unique-rowid', 'nextcloud'];
  const names = [...integers, 'uuid-v7', 'ulid', 'ksuid', 'xid', 'objectid', 'tid'];
  for (const name of names) {
    const { min, max } = range(name, ...day);
    const there = tickid(['range', name, ...words(day)]).trim().split('\n');
    assert.deepEqual([`${min}`, `${max}`], there, name);
    assert.equal(typeof min, integers.includes(name) ? 'bigint' : 'string', name);
  }
  const text = '39x10ms/8s/16n@2014-09-01';
  const times = dayOf(layout(text));
  const { min } = range(text, ...times);
  assert.equal(min, ends(['range', 'snowflake', '--layout', text, ...words(times)])[0]);
  const id = 175928847299117063n;
  const made = convert('discord', 'sonyflake', id, { nodes: 'keep' });
  const there = tickid(['convert', '--from', 'discord', '--to', 'sonyflake', `${id}`]);
  assert.equal(made.text, there.trim());
  assert.equal(describe('sonyflake', made.id).unixMs, Math.floor(1_462_015_105_796 / 10) * 10);
  const kept = convert('discord', '42x1ms/10n/12s/unsigned@0', id);
  assert.equal(restore('discord', '42x1ms/10n/12s/unsigned@0', kept.id), id);
  const { readings } = inspect(id, { layout: 'discord' });
  const reading = readings.find(({ kind }) => kind === 'snowflake');
  assert.equal(reading.unixMs, 1_462_015_105_796);
  assert.equal(print('discord', parse('discord', `${id}`), 'text'), `${id}`);
  assert.deepEqual(fromBytes('discord', toBytes('discord', id)), id);
});

test('conversions agree with the command', { skip: withoutCommand }, () => {
  const texts = DETECT.ids.filter(({ format, form }) => format === 'sno' && form === 'text');
  const lines = texts.map(({ text }) => `${text}\n`).join('');
  const words = ['convert', '--from', 'sno', '--to', 'nanoflake', '--truncate-node', 'low'];
  const there = tickid(words, lines).trim().split('\n');
  const here = texts.flatMap(({ text }) => {
    try {
      return [convert('sno', 'nanoflake', parse('sno', text), { nodes: 'low-bits' }).text];
    } catch (error) {
      // Of a time before the epoch, for which the command prints nothing.
      assert.match(error.message, /no ID of the target for this time/);
      return [];
    }
  });
  assert.ok(here.length > 20, `${here.length} of ${texts.length}`);
  assert.deepEqual(here, there);
});

test('types hold', () => {
  run(process.execPath, [compiler], new URL('../', import.meta.url));
});

test('types name every export', () => {
  const types = readFileSync(new URL('npm/index.d.ts', out), 'utf8');
  const values = types.matchAll(/^export (?:function|class) (\w+)/gm);
  // An overloaded function is declared several times.
  const declared = [...new Set([...values].map(([, name]) => name))];
  // Node adds this name to what is imported from CommonJS, from version 23 on.
  const exported = Object.keys(tickidOfNode).filter((name) => name !== 'module.exports');
  assert.deepEqual(exported.sort(), declared.sort());
});

const BOTH = `
import { createRequire } from 'node:module';
import { IdGenerator } from 'tickid-wasm';
const required = createRequire(import.meta.url)('tickid-wasm');
const id = new required.IdGenerator('nanoflake', { node: 1 }).generate();
console.log(typeof id, required.IdGenerator === IdGenerator);
`;

test('the packed package runs its page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickid-npm-'));
  try {
    const words = ['pack', '--json', '--pack-destination', folder];
    // An array up to npm 11, and an object with the package's name from npm 12 on.
    const packed = JSON.parse(run('npm', words, new URL('npm/', out)));
    const [{ filename, files, size, version }] = Object.values(packed);
    const manifest = readFileSync(new URL('Cargo.toml', root), 'utf8');
    assert.ok(manifest.includes(`version = "${version}"`), version);
    const paths = files.map(({ path }) => path).sort();
    const expected = 'LICENSE-APACHE LICENSE-MIT README.md browser.js engine.js engine_bg.wasm ' +
      'exports.js generator.js index.d.cts index.d.ts init.d.ts init.js node.cjs node.js ' +
      'package.json workerd.js';
    assert.deepEqual(paths, expected.split(' '));
    assert.ok(size < 160 * 1_024, `${size} bytes`);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    run('npm', ['install', '--offline', '--no-audit', join(folder, filename)], folder);
    const page = readFileSync(new URL('npm/README.md', out), 'utf8');
    writeFileSync(join(folder, 'page.js'), /```js\n(.*?)```/s.exec(page)[1]);
    const printed = run(process.execPath, ['page.js'], folder);
    const time = '2016-07-30T23:54:10.259Z';
    const lines = [`^ULID ${time}$`, '^\\[ \\[ 12, ', '^4e6f2160-', '^\\w{16} nothing$', '^WHERE id '];
    lines.push('^174 years', '^\\w{16} \\w{16}$');
    lines.forEach((line, index) => assert.match(printed.split('\n')[index], RegExp(line)));
    writeFileSync(join(folder, 'both.mjs'), BOTH);
    assert.equal(run(process.execPath, ['both.mjs'], folder).trim(), 'bigint true');
    // The example of the page, and imports of all kinds, as compilers resolve them.
    writeFileSync(join(folder, 'page.ts'), readFileSync(join(folder, 'page.js')));
    const module = "import { IdGenerator } from 'tickid-wasm';\n" +
      "export const id: string = new IdGenerator('sno', { node: 1 }).generate();\n";
    writeFileSync(join(folder, 'module.mts'), module);
    writeFileSync(join(folder, 'common.cts'), module);
    const init = "import { init, inspect } from 'tickid-wasm/init';\ninit({});\ninspect('');\n";
    writeFileSync(join(folder, 'worker.ts'), init);
    const strict = ['--strict', '--noEmit', '--types', '', '--target', 'es2022'];
    strict.push('--lib', 'es2022,dom');
    const sources = ['page.ts', 'worker.ts', 'module.mts', 'common.cts'];
    for (const [module, resolution] of [['node16', 'node16'], ['esnext', 'bundler']]) {
      const way = ['--module', module, '--moduleResolution', resolution];
      run(process.execPath, [compiler, ...strict, ...way, ...sources], folder);
    }
  } finally {
    rmSync(folder, { force: true, recursive: true });
  }
});
