// Labels, and sentences that the command writes as well.

import type { Reading } from 'tickid-wasm';

import { utc } from './time.ts';

/** The number of readings that a sentence names: nearly every number fits a dozen formats. */
const NAMED = 3;

/** Returns what a text that is not likely an ID may be, in the words of the command. */
export function doubtful(readings: Pick<Reading, 'name' | 'unixMs'>[]): string {
  const named = readings.map(({ name, unixMs }) =>
    unixMs === null ? name : `${name} (${utc(unixMs)})`,
  );
  const others = named.length - NAMED;
  if (others > 1) named.splice(NAMED, others, `or of ${others} other formats`);
  return `It is not likely an ID; it may be: ${named.join(', ')}.`;
}

/** Returns a field's name for people. */
export function title(field: string): string {
  return field.replace(/[_-]/g, ' ').replace(/\bid\b/, 'ID');
}

/** Returns a phrase as a label. */
export function label(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}
