// Elements without a framework. Text is always text: nothing that was pasted becomes markup.

type Child = Node | string | null;

/** The attributes of an element; those that are `false` or `null` are left out. */
type Attributes = Record<string, string | number | boolean | null | ((event: Event) => void)>;

/** Makes an element. Functions are listeners, of the event that they are named for. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (value !== false && value !== null) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Returns an element of the page. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`no ${type.name} #${id}`);
  return element;
}

/** Makes a button that copies a text and says so. */
export function copyButton(what: string, text: string | (() => string), label = 'Copy') {
  const button = h('button', { type: 'button', 'aria-label': `${label} ${what}`, click }, label);
  async function click(): Promise<void> {
    const isCopied = await copy(typeof text === 'string' ? text : text());
    announce(button, isCopied ? 'Copied' : 'Not copied', label);
  }
  return button;
}

/** Shows a button's outcome for a moment, and tells it to screen readers. */
export function announce(button: HTMLButtonElement, outcome: string, label: string): void {
  const said = byId('said', HTMLElement);
  button.textContent = outcome;
  said.textContent = outcome;
  setTimeout(() => {
    button.textContent = label;
    said.textContent = '';
  }, 1200);
}

/** Copies a text. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without the right, or the API: the way before it.
    const area = h('textarea', { readonly: true, 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
