// Labels.

/** Returns a field's name for people. */
export function title(field: string): string {
  return field.replace(/[_-]/g, ' ').replace(/\bid\b/, 'ID');
}

/** Returns a phrase as a label. */
export function label(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}
