// The card of a layout of Snowflakes.

import type { Instant, Layout, LayoutCard } from 'tickid-wasm';

import { h } from './dom.ts';
import { layout, presets } from './engine.ts';
import { title } from './words.ts';

const number = (value: number) => value.toLocaleString('en');
const time = ({ time, unix_ms }: Instant) => time ?? `${unix_ms} ms since 1970`;
const width = (bits: number) => `${bits} bit${bits === 1 ? '' : 's'}`;
const until = (limit: Instant | null) => (limit === null ? 'all IDs' : `until ${time(limit)}`);

/** Returns the names to choose from. */
export function names(): HTMLElement {
  const names = presets().flatMap(({ names, title }) =>
    names.slice(0, 1).map((value) => h('option', { value }, title)),
  );
  return h('datalist', { id: 'presets' }, ...names);
}

/** Draws a layout. */
export function layoutCard(spec: string): Node[] {
  const card = layout(spec as Layout);
  const field = ({ name, bits }: { name: string; bits: number }, index: number) => {
    const item = h(
      'li',
      { class: `field tint-${name === 'unused' ? 'none' : index % 6}` },
      h('span', { class: 'name' }, title(name)),
      h('span', { class: 'digits' }, String(bits)),
    );
    item.style.flexGrow = String(bits);
    return item;
  };
  const row = (name: string, ...values: string[]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      ...values.map((value) => h('td', { class: 'wide' }, value)),
    );
  return [
    h('h3', {}, card.title ?? 'A layout', h('span', { class: 'soft' }, ` · ${card.bits} bits`)),
    h('p', { class: 'id' }, card.layout),
    // The table says the same in words.
    h('ul', { class: 'bits layout', 'aria-hidden': 'true' }, ...card.fields.map(field)),
    h(
      'table',
      { class: 'stack' },
      h(
        'tbody',
        {},
        ...card.fields.map(({ name, bits, meaning }) => row(title(name), width(bits), meaning)),
      ),
    ),
    h('h3', {}, 'Limits'),
    h(
      'table',
      { class: 'stack' },
      h(
        'tbody',
        {},
        row('Time', `${time(card.first)} to ${time(card.last)}, ${card.span}`),
        row('Nodes', number(card.nodes)),
        row('IDs', rate(card)),
        row('Exact in JavaScript', until(card.javascript_until)),
        row('Positive in signed columns', until(card.signed_until)),
        ...card.warnings.map(({ text }) => row('Warning', text)),
      ),
    ),
  ];
}

function rate({ ids_per_second, ids_per_tick, tick_us }: LayoutCard): string {
  const tick = tick_us % 1000 === 0 ? `${number(tick_us / 1000)} ms` : `${number(tick_us)} µs`;
  return `${number(ids_per_second)} per second and node, ${number(ids_per_tick)} per ${tick}`;
}
