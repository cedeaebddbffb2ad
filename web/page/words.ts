// Labels.

/** Returns a field's name for people. */
export function title(field: string): string {
  return field.replaceAll('_', ' ').replace(/\bid\b/, 'ID');
}
