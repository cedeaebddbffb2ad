// Labels.

import type { Kind } from 'tickid';

export const KINDS: [Kind, string][] = [
  ['scru64', 'SCRU64'],
  ['nanoflake', 'Nanoflake'],
  ['kuid-local', 'kuid, local'],
  ['kuid-global', 'kuid, global'],
  ['sno', 'sno'],
];

/** Returns a field's name for people. */
export function title(field: string): string {
  return field.replaceAll('_', ' ').replace(/\bid\b/, 'ID');
}
