// The list of many IDs: one stop for the Tab key, in which the arrow keys move.

import type { Inspection, SummaryRow } from 'tickid-wasm';

import { copyButton, h } from './dom.ts';
import { type Found, best } from './split.ts';
import { utc } from './time.ts';

/** Draws the list; `choose` shows the card of one. */
export function list(all: Found, choose: (index: number) => void): Node[] {
  const { found } = all;
  const options = found.map((inspection, index) => option(inspection, index));
  let selected = 0;
  const box = h(
    'ul',
    {
      role: 'listbox',
      id: 'list',
      tabindex: 0,
      'aria-labelledby': 'many-title',
      keydown: (event) => key(event as KeyboardEvent),
      click: (event) => {
        const target = event.target instanceof Element ? event.target.closest('li') : null;
        const index = options.findIndex((option) => option === target);
        if (index >= 0) select(index);
      },
    },
    ...options,
  );

  function mark(index: number) {
    options[selected]?.setAttribute('aria-selected', 'false');
    selected = index;
    options[index]?.setAttribute('aria-selected', 'true');
    box.setAttribute('aria-activedescendant', `option-${index}`);
  }

  function select(index: number) {
    mark(index);
    options[index]?.scrollIntoView({ block: 'nearest' });
    choose(index);
  }

  function key(event: KeyboardEvent) {
    const last = options.length - 1;
    const targets: Record<string, number> = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      PageDown: selected + 10,
      PageUp: selected - 10,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    select(Math.min(Math.max(target, 0), last));
  }

  mark(0);
  return [
    h(
      'div',
      { class: 'bar' },
      h('h2', { id: 'many-title' }, summary(all)),
      copyButton('the list', () => csv(all), 'Copy as CSV'),
    ),
    h(
      'ul',
      { class: 'soft', 'aria-label': 'Formats' },
      ...all.summary.map((row) => h('li', {}, ofFormat(row))),
    ),
    box,
  ];
}

function option(inspection: Inspection, index: number): HTMLElement {
  const { text } = inspection;
  const first = best(inspection);
  const time = first?.unixMs == null ? '' : utc(first.unixMs);
  return h(
    'li',
    { role: 'option', id: `option-${index}`, 'aria-selected': 'false' },
    h('span', { class: 'mono' }, text.length > 80 ? `${text.slice(0, 80)}…` : text),
    h('span', {}, first === null ? 'no known format' : first.name),
    h('span', { class: 'mono soft' }, time),
  );
}

function number(count: number): string {
  return count.toLocaleString('en');
}

/** Returns the number of IDs in words. */
export function summary({ found, leftOut, cutFrom }: Found): string {
  const unknown = found.filter((inspection) => best(inspection) === null).length;
  const ids = `${number(found.length)} IDs`;
  return [
    cutFrom === null ? ids : `The first ${ids} of ${number(cutFrom)} lines`,
    unknown === 0 ? '' : `${number(unknown)} of no known format`,
    leftOut === 0 ? '' : `${number(leftOut)} other word${leftOut === 1 ? '' : 's'} left out`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Returns the IDs of one format in words: those of `tickid inspect --summary`. */
function ofFormat({ title, lines, firstMs, lastMs, also }: SummaryRow): string {
  const span = firstMs === null || lastMs === null ? [] : [`${utc(firstMs)} to ${utc(lastMs)}`];
  const others = also.length === 0 ? [] : [`or ${also.map((other) => other.title).join(', ')}`];
  return [`${lines.toLocaleString('en')} ${title}`, ...span, ...others].join(', ');
}

/** Returns the list as lines for a spreadsheet. */
function csv({ found, cutFrom }: Found): string {
  // A spreadsheet keeps 15 digits of a number, and all of a text that a formula is.
  const whole = (text: string) => (/^-?\d{16,}$/.test(text) ? `="${text}"` : text);
  const escaped = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const quoted = (text: string) => escaped(whole(text));
  const rows = found.map((inspection) => {
    const first = best(inspection);
    const time = first?.unixMs == null ? '' : utc(first.unixMs);
    return [inspection.text, first?.format ?? '', time, first?.hex ?? ''].map(quoted).join(',');
  });
  const note =
    cutFrom === null
      ? []
      : [quoted(`The first ${number(found.length)} IDs of ${number(cutFrom)} lines`)];
  return ['id,format,time,hex', ...rows, ...note, ''].join('\n');
}
