// The IDs in what was pasted.

import type { Inspection, Layouts } from 'tickid';

import { inspect } from './engine.ts';

/** No more IDs than this are read at once. */
export const MAX = 10_000;

/**
 * Reads every line as an ID, or else every word of it: IDs between spaces, commas or semicolons.
 * Literals of bytes have such characters themselves.
 */
export function inspectAll(text: string, layouts: Layouts, now: number): Inspection[] {
  const found: Inspection[] = [];
  const add = (text: string) => found.push(inspect(text, { ...layouts, now }));
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (found.length >= MAX) break;
    if (line.trim() === '') continue;
    const words = line.split(/[\s,;]+/).filter((word) => word !== '');
    const whole = inspect(line, { ...layouts, now });
    if (words.length <= 1 || whole.readings.length > 0) {
      found.push(whole);
    } else {
      words.slice(0, MAX - found.length).forEach(add);
    }
  }
  return found;
}
