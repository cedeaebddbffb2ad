// The inspector page.

import type { Inspection, Settings, Reading } from 'tickid-wasm';

import { card, nothing } from './card.ts';
import { announce, byId, copy, h } from './dom.ts';
import { column } from './engine.ts';
import { factField, options } from './facts.ts';
import { layoutCard, names } from './layout.ts';
import { list, summary } from './list.ts';
import { samples } from './samples.ts';
import { type Found, best, inspectAll } from './split.ts';
import { fromFragment, toFragment } from './state.ts';
import { utc } from './time.ts';

const input = byId('input', HTMLTextAreaElement);
const status = byId('status', HTMLElement);
const link = byId('link', HTMLButtonElement);
const one = byId('one', HTMLElement);
const many = byId('many', HTMLElement);
const fields = options().map((option) => factField(option, soon));
/** The field whose fact is a layout, which has a card. */
const drawn = fields.find(({ option }) => option.key === 'layout');
const drawing = byId('layout-card', HTMLElement);

const EXAMPLES: [string, string][] = [
  ['UUIDv7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
  ['ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['Twitter', '1541815603606036480'],
  ['SCRU64', '0u375nxqh5cq'],
  ['sno', '9q8q28b6522i6222'],
];

/** Returns the facts that were set, as far as they are valid, by the names of their options. */
function facts(): Record<string, string> {
  const set = fields.flatMap(({ option, value }) => {
    const given = value();
    return given === null ? [] : [[option.name, given] as const];
  });
  return Object.fromEntries(set);
}

/** Returns facts as options of the engine. */
function settings(set = facts()): Settings {
  const known = fields.flatMap(({ option: { key, name } }) => {
    const value = set[name];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(known);
}

/** Shows what is in the text field. */
function update(): void {
  const now = Date.now();
  const text = input.value;
  const given = facts();
  const set = settings(given);
  // A link to a long list would be cut.
  const fragment = toFragment({ text, facts: given });
  history.replaceState(null, '', fragment === '' ? ' ' : fragment);
  link.disabled = fragment === '';
  const spec = drawn === undefined ? undefined : given[drawn.option.name];
  drawing.replaceChildren(...(spec === undefined ? [] : layoutCard(spec)));
  try {
    show(inspectAll(text, set, now), set, now);
  } catch (error) {
    // An epoch beyond all times.
    one.hidden = many.hidden = true;
    status.textContent = error instanceof Error ? error.message : String(error);
  }
}

function show(all: Found, set: Settings, now: number): void {
  const { found } = all;
  many.hidden = found.length < 2;
  one.hidden = found.length === 0;
  const showCard = (inspection: Inspection, reading: Reading | null) => {
    const choose = (other: Reading) => {
      showCard(inspection, other);
      byId('one-title', HTMLElement).focus();
    };
    const content =
      reading === null
        ? nothing(inspection, choose)
        : card(inspection, reading, set, now, choose);
    one.replaceChildren(...content);
  };
  const showOne = (index: number) => {
    // With all of its readings, and judged by the first ten of the column as in the list.
    const texts = found.slice(0, Math.max(index + 1, 10)).map(({ text }) => text);
    const [inspection] = column(texts, { ...set, now, skip: index }).inspections;
    if (inspection === undefined) return;
    showCard(inspection, best(inspection));
  };
  many.replaceChildren(...(found.length < 2 ? [] : list(all, showOne)));
  showOne(0);
  status.textContent = found.length < 2 ? ofOne(found[0]) : summary(all);
}

/** Returns the result in a sentence, for screen readers. */
function ofOne(inspection: Inspection | undefined): string {
  if (inspection === undefined) return '';
  const first = best(inspection);
  if (first === null) return 'Not likely an ID.';
  const time = first.unixMs === null ? '' : `, ${utc(first.unixMs)}`;
  const isCertain = first.confidence === 'certain';
  const certainty = isCertain ? '' : inspection.isClear ? ', likely' : ', perhaps';
  return `${first.name}${certainty}${time}`;
}

/** Puts a text into the field. */
function fill(text: string): void {
  input.value = text;
  // As high as a short list.
  input.rows = Math.min(Math.max(text.split('\n').length, 2), 8);
  update();
}

function restore(): void {
  const { text, facts: set } = fromFragment(location.hash);
  for (const { option, input } of fields) input.value = set[option.name] ?? '';
  const isHidden = fields.some((field) => field !== drawn && field.input.value !== '');
  if (isHidden) byId('facts', HTMLDetailsElement).open = true;
  fill(text);
}

let timer = 0;
/** Waits for the end of typing. */
function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(update, 120);
}

input.addEventListener('input', soon);
for (const field of fields) {
  const place = field === drawn ? 'layout-field' : 'facts-grid';
  byId(place, HTMLElement).append(field.element);
}
drawn?.input.setAttribute('list', 'presets');
drawn?.element.append(names());
byId('form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
byId('clear', HTMLButtonElement).addEventListener('click', () => {
  fill('');
  input.focus();
});
link.addEventListener('click', async () => {
  announce(link, (await copy(location.href)) ? 'Copied' : 'Not copied', 'Copy link');
});
byId('examples', HTMLElement).append(
  h('span', { class: 'soft' }, 'Try'),
  ...EXAMPLES.map(([title, text]) =>
    h('button', { type: 'button', click: () => fill(text) }, title),
  ),
);
byId('samples', HTMLElement).append(
  ...samples(() => settings(), (text) => {
    fill(text);
    byId('one-title', HTMLElement).focus();
  }),
);
addEventListener('hashchange', restore);
restore();
document.documentElement.dataset['ready'] = '';
