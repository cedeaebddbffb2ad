// A sample of each scheme, of this moment.

import type { Kind, Layouts } from 'tickid';

import { copyButton, h } from './dom.ts';
import { print, sample } from './engine.ts';
import { KINDS } from './words.ts';

/** The bits of the node and of the sequence. */
const WIDTHS: Record<Kind, [number, number]> = {
  scru64: [0, 24],
  nanoflake: [10, 12],
  'kuid-local': [0, 14],
  'kuid-global': [32, 14],
  sno: [16, 16],
};

/** Returns a text of the kind. */
export function generate(kind: Kind, layouts: Layouts): string {
  const [nodeBits, sequenceBits] = WIDTHS[kind];
  // Samples do not split the node and the counter of SCRU64.
  const { epoch, drift } = layouts;
  const given = { node: random(nodeBits), sequence: random(sequenceBits) };
  const id = sample(kind, {
    ...given,
    ...(epoch === undefined ? {} : { epoch }),
    ...(drift === undefined ? {} : { drift }),
  });
  return print(kind, id);
}

function random(bits: number): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return bits === 0 ? 0 : number >>> (32 - bits);
}

/** Draws the samples; `inspect` shows one. */
export function samples(layouts: () => Layouts, inspect: (text: string) => void): Node[] {
  const body = h('tbody', {});
  function fill() {
    body.replaceChildren(
      ...KINDS.map(([kind, title]) => {
        const text = generate(kind, layouts());
        const click = () => inspect(text);
        const label = `Inspect the sample of ${title}`;
        return h(
          'tr',
          {},
          h('th', { scope: 'row' }, title),
          h('td', { class: 'mono' }, text),
          h(
            'td',
            { class: 'act' },
            h('button', { type: 'button', 'aria-label': label, click }, 'Inspect'),
            ' ',
            copyButton(`the sample of ${title}`, text),
          ),
        );
      }),
    );
  }
  fill();
  return [
    h('h2', { id: 'samples-title' }, 'Samples'),
    h(
      'p',
      { class: 'soft' },
      'Made now, with random nodes. Nothing makes them unique: IDs for use come from a generator ',
      'with a node of its own.',
    ),
    h('table', { class: 'stack' }, body),
    h('p', {}, h('button', { type: 'button', click: fill }, 'New samples')),
  ];
}
