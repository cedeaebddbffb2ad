// What the page shows, as its link carries it.

import { options } from './facts.ts';

export interface State {
  /** The text as it was pasted. */
  text: string;
  /** The values that an ID does not say, by the names of their options. */
  facts: Record<string, string>;
}

/** Longer links break in mails and chats. */
const MAX_LINK = 2_000;

/** Returns the fragment, or nothing if the text is too long for one. */
export function toFragment({ text, facts }: State): string {
  const id = text.trim();
  const fields = new URLSearchParams(id === '' ? {} : { id });
  for (const [name, value] of Object.entries(facts)) fields.set(name, value);
  const fragment = `#${fields}`;
  return fragment.length > 1 && fragment.length <= MAX_LINK ? fragment : '';
}

/** Reads a fragment: `#id=…&epoch=…`, or the ID alone. */
export function fromFragment(fragment: string): State {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const known = options().flatMap(({ name }) => {
    const value = fields.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { text: fields.get('id') ?? plain(fragment), facts: Object.fromEntries(known) };
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
