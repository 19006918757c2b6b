// SPDX-License-Identifier: Apache-2.0
// HTML as a value. INVARIANT (escaped): text becomes HTML only through `html`, which escapes whatever isn't HTML
// already, so that no name that another side chose becomes markup.

/** A piece of HTML. */
export class Html {
  readonly text: string;

  /** Only `html` calls it with text that isn't constant. */
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Part[] | null;

/** Writes HTML. Values are escaped, for texts and for quoted attributes; pieces of HTML stay, and null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + (at < values.length ? textOf(values[at] ?? null) : '')).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? (part as readonly Part[]).map(textOf).join('') : escaped(String(part));
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
