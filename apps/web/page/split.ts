// The IDs in what was pasted.

import type { Inspection, Layouts, Reading } from 'tickid-wasm';

import { inspect } from './engine.ts';

/** No more IDs than this are read at once. */
export const MAX = 5_000;

/** The IDs in a text, each with its likeliest reading only. */
export interface Found {
  layouts: Layouts;
  found: Inspection[];
  /** The number of words beside them. */
  leftOut: number;
}

/** Returns the likeliest reading, if it is worth showing without being asked for. */
export function best({ readings: [first] }: Inspection): Reading | null {
  return first !== undefined && isLikely(first) ? first : null;
}

/** Reports whether a reading is certain or likely. */
export function isLikely({ confidence }: Reading): boolean {
  return confidence !== 'possible';
}

/**
 * Reads every line as an ID, or otherwise finds the IDs between its spaces, commas and semicolons.
 * Literals of bytes have such characters themselves.
 */
export function inspectAll(text: string, layouts: Layouts, now: number): Found {
  const found: Inspection[] = [];
  let leftOut = 0;
  const options = { ...layouts, now, limit: 1 };
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (found.length >= MAX) break;
    if (line.trim() === '') continue;
    const whole = inspect(line, options);
    const words = line.split(/[\s,;]+/).filter((word) => word !== '');
    const isOne = words.length <= 1 || best(whole) !== null;
    const parts = isOne ? [] : words.slice(0, MAX).map((word) => inspect(word, options));
    const ids = parts.filter((part) => best(part) !== null);
    if (ids.length > 0) leftOut += parts.length - ids.length;
    found.push(...(ids.length > 0 ? ids.slice(0, MAX - found.length) : [whole]));
  }
  return { layouts, found, leftOut };
}
