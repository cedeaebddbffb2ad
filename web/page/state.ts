// What the page shows, as its link carries it.

import type { Layouts } from 'tickid';

export interface State {
  /** The text as it was pasted. */
  text: string;
  layouts: Layouts;
}

/** Longer links break in mails and chats. */
const MAX_LINK = 2_000;

const NAMES = { epoch: 'epoch', nodeSize: 'node-size', drift: 'drift' } as const;

/** Returns the fragment, or nothing if the text is too long for one. */
export function toFragment({ text, layouts }: State): string {
  if (text.trim() === '') return '';
  const fields = new URLSearchParams({ id: text.trim() });
  for (const [option, name] of Object.entries(NAMES)) {
    const value = layouts[option as keyof typeof NAMES];
    if (value !== undefined) fields.set(name, String(value));
  }
  const fragment = `#${fields}`;
  return fragment.length <= MAX_LINK ? fragment : '';
}

/** Reads a fragment: `#id=…&epoch=…`, or the ID alone. */
export function fromFragment(fragment: string): State {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const layouts: Layouts = {};
  for (const [option, name] of Object.entries(NAMES)) {
    const value = fields.get(name);
    if (value !== null && /^-?\d{1,15}$/.test(value)) {
      layouts[option as keyof typeof NAMES] = Number(value);
    }
  }
  return { text: fields.get('id') ?? plain(fragment), layouts };
}

/** Reads a fragment that is an ID. */
function plain(fragment: string): string {
  const text = fragment.replace(/^#/, '');
  if (text.includes('=')) return '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
