// A sample of each scheme, of this moment.

import type { KindInfo, Settings } from 'tickid-wasm';

import { copyButton, h } from './dom.ts';
import { kinds, print, sample } from './engine.ts';

/** Returns a text of the kind. */
export function generate({ kind, nodeBits, sequenceBits }: KindInfo, settings: Settings): string {
  const given = { node: random(nodeBits), sequence: random(sequenceBits) };
  return print(kind, sample(kind, { ...settings, ...given }), 'text', settings);
}

function random(bits: number): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return bits === 0 ? 0 : number >>> (32 - bits);
}

/** Draws the samples; `inspect` shows one. */
export function samples(settings: () => Settings, inspect: (text: string) => void): Node[] {
  const body = h('tbody', {});
  function fill() {
    body.replaceChildren(
      ...kinds(settings()).map((kind) => {
        const title = kind.name;
        let text = '';
        try {
          text = generate(kind, settings());
        } catch (error) {
          // A layout that has ended, or has not started.
          const reason = error instanceof Error ? error.message : String(error);
          const heading = h('th', { scope: 'row' }, title);
          return h('tr', {}, heading, h('td', { class: 'soft wide', colspan: 2 }, reason));
        }
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
      'whose node no other has. Keep the format of existing IDs. For new ones, take Nanoflake in a ',
      '64-bit column, SCRU64 there if you have many small nodes, and sno anywhere else.',
    ),
    h('table', { class: 'stack' }, body),
    h('p', {}, h('button', { type: 'button', click: fill }, 'New samples')),
  ];
}
