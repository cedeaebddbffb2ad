// The inspector page.

import type { Inspection, Layouts, Reading } from 'tickid';

import { card, nothing } from './card.ts';
import { announce, byId, copy, h } from './dom.ts';
import { inspect } from './engine.ts';
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
const epoch = byId('epoch', HTMLInputElement);
const nodeSize = byId('node-size', HTMLInputElement);
const drift = byId('drift', HTMLInputElement);
const epochError = byId('epoch-error', HTMLElement);

const EXAMPLES: [string, string][] = [
  ['UUIDv7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
  ['ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['Twitter', '1541815603606036480'],
  ['SCRU64', '0u375nxqh5cq'],
  ['sno', '9q8q28b6522i6222'],
];

/** Returns the layouts that were set, as far as they are valid. */
function layouts(): Layouts {
  const set: Layouts = {};
  const text = epoch.value.trim();
  // Browsers read all kinds of words as dates.
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  const millis = /^-?\d{1,15}$/.test(text) ? Number(text) : date;
  const isEpoch = text === '' || Number.isSafeInteger(millis);
  if (text !== '' && isEpoch) set.epoch = millis;
  epochError.textContent = isEpoch ? '' : 'Neither milliseconds nor a date';
  for (const [option, field] of [
    ['nodeSize', nodeSize],
    ['drift', drift],
  ] as const) {
    const isSet = field.value !== '' && field.validity.valid;
    if (isSet) set[option] = field.valueAsNumber;
    field.setAttribute('aria-invalid', String(!field.validity.valid));
  }
  return set;
}

/** Shows what is in the text field. */
function update(): void {
  const now = Date.now();
  const text = input.value;
  const set = layouts();
  // A link to a long list would be cut.
  const fragment = toFragment({ text, layouts: set });
  history.replaceState(null, '', fragment === '' ? ' ' : fragment);
  link.disabled = fragment === '';
  try {
    show(inspectAll(text, set, now), set, now);
  } catch (error) {
    // An epoch beyond all times.
    one.hidden = many.hidden = true;
    status.textContent = error instanceof Error ? error.message : String(error);
  }
}

function show(all: Found, set: Layouts, now: number): void {
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
    const text = found[index]?.text;
    if (text === undefined) return;
    const inspection = inspect(text, { ...set, now });
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
  const { text, layouts: set } = fromFragment(location.hash);
  epoch.value = set.epoch === undefined ? '' : String(set.epoch);
  nodeSize.value = set.nodeSize === undefined ? '' : String(set.nodeSize);
  drift.value = set.drift === undefined ? '' : String(set.drift);
  if (Object.keys(set).length > 0) byId('layouts', HTMLDetailsElement).open = true;
  fill(text);
}

let timer = 0;
/** Waits for the end of typing. */
function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(update, 120);
}

input.addEventListener('input', soon);
for (const field of [epoch, nodeSize, drift]) field.addEventListener('input', soon);
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
  ...samples(layouts, (text) => {
    fill(text);
    byId('one-title', HTMLElement).focus();
  }),
);
addEventListener('hashchange', restore);
restore();
document.documentElement.dataset['ready'] = '';
