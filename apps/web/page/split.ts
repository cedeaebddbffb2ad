// The IDs in what was pasted.

import type { Inspection, Settings, Reading, SummaryRow } from 'tickid-wasm';

import { column, find, inspect } from './engine.ts';

/** No more IDs than this are read at once. */
export const MAX = 5_000;

/** The IDs in a text, each with its likeliest reading only. */
export interface Found {
  settings: Settings;
  found: Inspection[];
  /** The number of IDs of each format. */
  summary: SummaryRow[];
  /** The number of words beside them. */
  leftOut: number;
  /** The number of lines that are not blank, if not all of them were read. */
  cutFrom: number | null;
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
 * Reads every line as an ID, or otherwise finds the IDs in it. Literals of bytes have spaces and
 * commas themselves. What was found is then a column, whose IDs decide together.
 */
export function inspectAll(text: string, settings: Settings, now: number): Found {
  const found: Inspection[] = [];
  let leftOut = 0;
  let isCut = false;
  const options = { ...settings, now, limit: 1 };
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  for (const line of lines) {
    if (found.length >= MAX) {
      isCut = true;
      break;
    }
    const whole = inspect(line, options);
    const words = line.split(/[\s,;]+/).filter((word) => word !== '');
    const ids = best(whole) === null ? find(line, options) : [];
    if (ids.length > 0) leftOut += Math.max(words.length - ids.length, 0);
    isCut = ids.length > MAX - found.length;
    found.push(...(ids.length > 0 ? ids.slice(0, MAX - found.length) : [whole]));
  }
  const cutFrom = isCut ? lines.length : null;
  const { inspections, summary } = column(found.map(({ text }) => text), options);
  return { settings, found: inspections, summary, leftOut, cutFrom };
}
