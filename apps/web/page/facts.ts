// What an ID does not say, such as an epoch: a field for each option of the schemes.

import type { LayoutOption, Settings } from 'tickid-wasm';

import { h } from './dom.ts';
import { inspect, kinds } from './engine.ts';
import { label, title } from './words.ts';

/** An option, with the first kind of IDs that has it. */
export interface KnownOption extends LayoutOption {
  kind: string;
}

/** Returns the options of all kinds, each once. */
export function options(): KnownOption[] {
  const all = kinds().flatMap(({ name: kind, options }) =>
    options.map((option) => [option.name, { ...option, kind }] as const),
  );
  return [...new Map(all.reverse()).values()].reverse();
}

/** The field of an option. */
export interface FactField {
  option: KnownOption;
  input: HTMLInputElement;
  element: HTMLElement;
  /** Reads the value as the engine takes it, and shows what is wrong with it. */
  value(): string | null;
}

/** Makes the field of an option. `change` is called after each change. */
export function factField(option: KnownOption, change: () => void): FactField {
  const { name, kind, about, values } = option;
  const error = h('small', { id: `${name}-error`, class: 'error', role: 'alert' });
  const input = h('input', {
    id: name,
    placeholder: values,
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-describedby': `${name}-about ${name}-error`,
    input: change,
  });
  const element = h(
    'div',
    { class: 'fact' },
    h('label', { for: name }, `${kind}: ${title(name)}`),
    input,
    h('small', { id: `${name}-about` }, label(about)),
    error,
  );
  function value(): string | null {
    const text = input.value.trim();
    const millis = option.isTime && /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
    const given = Number.isNaN(millis) ? text : String(millis);
    const problem = given === '' ? '' : problemOf({ [option.key]: given });
    error.textContent = label(problem);
    input.setAttribute('aria-invalid', String(problem !== ''));
    return given === '' || problem !== '' ? null : given;
  }
  return { option, input, element, value };
}

/** Returns the reason why the engine refuses these settings. */
function problemOf(settings: Settings): string {
  try {
    inspect('', settings);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
