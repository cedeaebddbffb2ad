// The card of one ID.

import type {
  Field,
  Foreign,
  Form,
  Inspection,
  Kind,
  Layout,
  Settings,
  RangeOf,
  Reading,
} from 'tickid-wasm';

import { copyButton, h } from './dom.ts';
import { convert, kinds, print, range } from './engine.ts';
import { isLikely } from './split.ts';
import { age, dateOf, day, local, utc, zone } from './time.ts';
import { doubtful, label, title } from './words.ts';

/** Draws a reading of a text; `choose` shows another one. */
export function card(
  { readings, likely }: Inspection,
  reading: Reading,
  settings: Settings,
  now: number,
  choose: (reading: Reading) => void,
): Node[] {
  const badge = trust(reading, likely);
  return [
    h(
      'div',
      { class: 'title' },
      h('h2', { id: 'one-title', tabindex: -1 }, reading.name),
      h('span', { class: `badge ${badge.kind}` }, badge.text),
    ),
    h('p', { class: 'reason soft' }, because(reading)),
    h('p', { class: 'id' }, reading.text, ' ', copyButton('the text', reading.text)),
    ...time(reading, now),
    ...bits(reading),
    ...forms(reading),
    ...others(readings, reading, choose),
    ...(reading.source === null ? [] : conversions(reading, reading.source, settings)),
    ...(reading.range === null ? [] : dayRange(reading, reading.range, settings, now)),
  ];
}

/** Draws the place of a card for a text that is likely no ID. */
export function nothing(inspection: Inspection, choose: (reading: Reading) => void): Node[] {
  const { text, readings } = inspection;
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return [
    h('h2', { id: 'one-title', tabindex: -1 }, 'Not likely an ID'),
    h('p', { class: 'id' }, shown),
    h('p', {}, doubts(inspection)),
    ...others(readings, null, choose),
  ];
}

/** Returns what is known about a text that is likely no ID. */
function doubts({ text, readings, damage }: Inspection): string {
  const damaged = damage === null ? '' : `${label(damage)}.`;
  // A text that has readings is whole, as far as its length tells.
  if (readings.length > 0) {
    return `${doubtful(readings)} A Nanoflake may need its epoch. ${damaged}`.trim();
  }
  if (damaged !== '') return damaged;
  return (
    `The text has ${[...text].length} characters. Check that it is whole: SCRU64 has 12, ` +
    'Nanoflake up to 13, kuid 11 or 16, sno 16, Xid 20, ObjectId 24, ULID 26, KSUID 27 and ' +
    'a UUID 36. Integers have up to 20 digits.'
  );
}

/** Returns the features of the text that match, and the reason to doubt them. */
function because({ reason, doubt }: Reading): string {
  return doubt === null ? `Read as ${reason}.` : `Read as ${reason}; ${doubt}.`;
}

function trust({ confidence }: Reading, likely: number) {
  const isOne = confidence !== 'likely' || likely <= 1;
  return { kind: confidence, text: isOne ? confidence : `one of ${likely} likely readings` };
}

function time({ unixMs }: Reading, now: number): Node[] {
  if (unixMs === null) {
    return [h('h3', {}, 'Time'), h('p', { class: 'soft' }, 'IDs of this format hold no time.')];
  }
  const row = (label: string, value: string) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, label),
      h('td', { class: 'mono' }, value),
      h('td', { class: 'act' }, copyButton(`the time, ${label}`, value)),
    );
  const here = local(unixMs);
  const ago = age(unixMs, now);
  return [
    h('h3', {}, 'Time', ago === null ? null : h('span', { class: 'soft' }, ` · ${ago}`)),
    h(
      'table',
      { class: 'stack' },
      h(
        'tbody',
        {},
        row('UTC', utc(unixMs)),
        here === null ? null : row(zone(), here),
        row('Unix, ms', String(unixMs)),
      ),
    ),
  ];
}

function bits(reading: Reading): Node[] {
  const { fields, settings, bytes } = reading;
  const all = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const drawn: [number, HTMLElement][] = [];
  const rows: HTMLElement[] = [];
  const light = (lit: HTMLElement[], isLit: boolean) => () => {
    for (const element of lit) element.classList.toggle('lit', isLit);
  };
  fields.forEach((field, index) => {
    const tint = `tint-${field.name === 'unused' ? 'none' : index % 6}`;
    const lit: HTMLElement[] = [];
    const on = { mouseenter: light(lit, true), mouseleave: light(lit, false) };
    for (const { start, bits } of field.isDivided ? [] : field.spans) {
      const digits = all.slice(start, start + bits);
      const item = h(
        'li',
        { class: `field ${tint}`, ...on },
        h('span', { class: 'name' }, title(field.name)),
        // Groups of eight, between which a line may break.
        h('span', { class: 'digits' }, digits.replace(/.{8}(?=.)/g, '$&\u200b')),
      );
      lit.push(item);
      drawn.push([start, item]);
    }
    const row = h(
      'tr',
      { ...on },
      h(
        'th',
        { scope: 'row' },
        h('span', { class: `swatch ${tint}`, 'aria-hidden': 'true' }),
        title(field.name),
      ),
      h('td', {}, `${field.bits} bit${field.bits === 1 ? '' : 's'}`),
      h('td', { class: 'mono' }, shown(field)),
      h('td', { class: 'wide' }, field.meaning),
    );
    lit.push(row);
    rows.push(row);
  });
  for (const { name, value, meaning } of settings) {
    rows.push(
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, title(name)),
        h('td', {}, ''),
        h('td', { class: 'mono' }, value),
        h('td', { class: 'wide' }, meaning),
      ),
    );
  }
  drawn.sort(([one], [other]) => one - other);
  const total = 8 * bytes.length;
  return [
    h('h3', {}, `${total} bits`),
    // The table says the same in words.
    h('ul', { class: 'bits', 'aria-hidden': 'true' }, ...drawn.map(([, item]) => item)),
    h('h3', {}, 'Fields'),
    h(
      'table',
      { class: 'stack' },
      head('Field', 'Width', 'Value', 'Meaning'),
      h('tbody', {}, ...rows),
    ),
  ];
}

/** Returns the value of a field; numbers that JavaScript would round are hexadecimal. */
function shown({ value, bits, isHex }: Field): string {
  return isHex || bits > 53 ? hex(value, bits) : String(value);
}

function hex(value: bigint, bits: number): string {
  return `0x${value.toString(16).padStart(Math.ceil(bits / 4), '0')}`;
}

function head(...names: string[]): HTMLElement {
  const cell = (name: string) => (name === '' ? h('td') : h('th', { scope: 'col' }, name));
  return h('thead', {}, h('tr', {}, ...names.map(cell)));
}

/** The words for forms that have a shorter name in options. */
const FORMS: Partial<Record<string, string>> = { int: 'Integer', hex: 'Hexadecimal' };

/** Returns the forms of an ID as text, each text once. */
function forms(reading: Reading): Node[] {
  const rows: [string, string][] = [];
  for (const { name, text } of reading.forms) {
    if (!rows.some(([, other]) => other === text)) rows.push([FORMS[name] ?? label(name), text]);
  }
  return [
    h('h3', {}, 'Forms'),
    h(
      'table',
      { class: 'stack' },
      h(
        'tbody',
        {},
        ...rows.map(([label, value]) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, label),
            h('td', { class: 'mono' }, value),
            h('td', { class: 'act' }, copyButton(label, value)),
          ),
        ),
      ),
    ),
  ];
}

function others(
  readings: Reading[],
  current: Reading | null,
  choose: (reading: Reading) => void,
): Node[] {
  const list = (chosen: Reading[]) =>
    h(
      'ul',
      { class: 'readings' },
      ...chosen.map((reading) => {
        const { unixMs } = reading;
        const time = unixMs === null ? 'no time' : utc(unixMs).slice(0, 10);
        const label = `${reading.name} · ${time}`;
        const click = () => choose(reading);
        return h('li', {}, h('button', { type: 'button', click }, label));
      }),
    );
  const rest = readings.filter((reading) => reading !== current);
  if (rest.length === 0) return [];
  const possible = rest.filter((reading) => !isLikely(reading));
  return [
    h('h3', {}, 'Other readings'),
    rest.some(isLikely)
      ? list(rest.filter(isLikely))
      : h('p', { class: 'soft' }, 'No other reading is likely.'),
    ...(possible.length === 0
      ? []
      : [h('details', {}, h('summary', {}, `Possible: ${possible.length}`), list(possible))]),
  ];
}

function conversions(reading: Reading, from: Kind | Foreign, settings: Settings): Node[] {
  const body = h('tbody', {});
  const nodes = h(
    'select',
    { id: 'nodes', change: fill },
    h('option', { value: 'low-bits' }, 'cut to low bits'),
    h('option', { value: 'high-bits' }, 'cut to high bits'),
    h('option', { value: 'keep' }, 'kept'),
    h('option', { value: 'set' }, 'set to'),
  );
  const node = h('input', {
    id: 'node',
    type: 'number',
    min: 0,
    max: 4_294_967_295,
    value: 0,
    'aria-label': 'The node of the new ID',
    input: fill,
  });
  function fill() {
    node.hidden = nodes.value !== 'set';
    const set = Number.isSafeInteger(node.valueAsNumber) ? node.valueAsNumber : 0;
    const choice =
      nodes.value === 'set' ? set : (nodes.value as 'keep' | 'low-bits' | 'high-bits');
    const others = kinds().filter(({ kind }) => kind !== from);
    const rows = others.map(({ kind, name: title }) =>
      conversion(from, reading.id, kind, title, choice, settings),
    );
    body.replaceChildren(...rows);
  }
  fill();
  return [
    h('h3', {}, 'Conversions'),
    h('div', { class: 'bar' }, h('label', { for: 'nodes' }, 'Nodes are'), nodes, node),
    h('table', { class: 'stack' }, head('To', 'ID', 'Lost', ''), body),
  ];
}

function conversion(
  from: Kind | Foreign,
  id: bigint,
  to: Kind,
  title: string,
  nodes: 'keep' | 'low-bits' | 'high-bits' | number,
  settings: Settings,
): HTMLElement {
  const heading = h('th', { scope: 'row' }, title);
  try {
    const { text, loss } = convert(from, to, id, { source: settings, target: settings, nodes });
    const note =
      !loss.isNone && loss.isRestorable ? h('small', {}, ' The sequence still holds it.') : null;
    return h(
      'tr',
      {},
      heading,
      h('td', { class: 'mono whole' }, text),
      h('td', { class: loss.isNone ? 'wide good' : 'wide' }, loss.text, note),
      h('td', { class: 'act' }, copyButton(`the ${title} ID`, text)),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return h('tr', {}, heading, h('td', { class: 'soft wide', colspan: 3 }, reason));
  }
}

/** The words for the forms that a column may have. */
const COLUMNS: Partial<Record<Form, string>> = { int: 'integers', text: 'text', hex: 'bytes' };

/** The choices that hold for the cards of other IDs, too. */
const kept = { column: 'id', zone: 'utc' };

function dayRange(reading: Reading, way: RangeOf, settings: Settings, now: number): Node[] {
  const date = h('input', {
    id: 'day',
    type: 'date',
    required: true,
    value: dateOf(reading.unixMs ?? now, kept.zone === 'utc'),
    input: fill,
  });
  const zones = h(
    'select',
    { id: 'zone', change: fill },
    h('option', { value: 'utc' }, 'UTC'),
    h('option', { value: 'local', selected: kept.zone === 'local' }, zone()),
  );
  const column = h('input', { id: 'column', value: kept.column, size: 10, input: fill });
  const form = h(
    'select',
    { id: 'form-of-range', change: fill },
    ...way.forms.map((value) => h('option', { value }, COLUMNS[value] ?? value)),
  );
  const clause = h('pre', { id: 'clause', tabindex: 0 });
  const note = h('p', { class: 'soft' });
  function fill() {
    [kept.column, kept.zone] = [column.value, zones.value];
    const times = day(date.value, zones.value === 'utc');
    const chosen = way.forms.find((each) => each === form.value);
    clause.textContent =
      times === null || chosen === undefined
        ? 'Choose a day.'
        : where(way.of, settings, times, column.value, chosen);
    note.textContent = [
      form.value === 'text' ? 'Texts sort by time under the collation "C".' : '',
      way.note ?? '',
    ].join(' ');
  }
  fill();
  const labelled = (label: string, control: HTMLElement) =>
    h('label', { for: control.id }, label, control);
  return [
    h('h3', {}, 'The IDs of a day'),
    h(
      'div',
      { class: 'grid' },
      labelled('Day', date),
      labelled('Zone', zones),
      labelled('Column', column),
      labelled('Holds', form),
    ),
    clause,
    copyButton('the clause', () => clause.textContent ?? ''),
    note,
  ];
}

function where(
  of: Kind | Layout,
  settings: Settings,
  times: [number, number],
  column: string,
  form: Form,
): string {
  try {
    const { min, max } = range(of, ...times, settings);
    const end = (id: bigint) => {
      const text = print(of, id, form, settings);
      if (form === 'int') return text;
      return form === 'hex' ? `'\\x${text}'` : `'${text}'`;
    };
    return `WHERE ${identifier(column)} BETWEEN ${end(min)} AND ${end(max)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the name of a column, in quotation marks where it needs them. */
function identifier(name: string): string {
  const text = name.trim() === '' ? 'id' : name.trim();
  return /^[a-z_][a-z0-9_.]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
