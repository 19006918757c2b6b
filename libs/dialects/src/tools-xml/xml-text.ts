// SPDX-License-Identifier: Apache-2.0
//
// Characters, references and names of XML 1.0. https://www.w3.org/TR/xml/

/** What stands in a text that XML can't have there; `at` within the text. */
export interface XmlMistake {
  readonly message: string;
  readonly at: number;
}

/** A text as it is meant, or what is wrong with it. */
export type Meant = { readonly text: string } | XmlMistake;

const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const RETURN = /\r\n?/g;
const NO_REFERENCE = /&(?!(?:lt|gt|amp|apos|quot|#[0-9]+|#x[0-9A-Fa-f]+);)/;
const NUMBERED = /&(?:(lt|gt|amp|apos|quot)|#([0-9]+)|#x([0-9A-Fa-f]+));/g;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', apos: "'", quot: '"', amp: '&' };
const SPACES = /[\t\n]/g;
const CDATA_END = ']]>';

const NAME_START =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}';
/** Source of an expression for a name. */
export const XML_NAME = `[${NAME_START}][${NAME_START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}]*`;

/** Text without references, such as that of CDATA: every end of a line is LF. */
export function plainText(raw: string): Meant {
  const control = NO_CHARACTER.exec(raw) ?? (raw.isWellFormed() ? null : LONE_SURROGATE.exec(raw));
  if (control !== null) return { message: "a character that XML doesn't have", at: control.index };
  return { text: raw.includes('\r') ? raw.replace(RETURN, '\n') : raw };
}

/** Text between tags. */
export function characterData(raw: string): Meant {
  const end = raw.indexOf(CDATA_END);
  return end === -1 ? referred(raw) : { message: '`]]>` stands in a text: escape its `>`', at: end };
}

/** The value of an attribute: a line end or tab in it is a space. */
export function attributeValue(raw: string): Meant {
  const plain = plainText(raw);
  return 'text' in plain ? referred(plain.text.replace(SPACES, ' ')) : plain;
}

function referred(raw: string): Meant {
  const plain = plainText(raw);
  if (!('text' in plain) || !raw.includes('&')) return plain;
  const none = NO_REFERENCE.exec(raw);
  if (none !== null) return { message: "an undefined entity, or an `&` that isn't escaped as `&amp;`", at: none.index };
  return raw.includes('&#') ? numbered(raw, plain.text) : { text: named(plain.text) };
}

/** Each pass is one of the engine's own; `&amp;` comes last, so what it makes is no reference. */
const named = (text: string): string =>
  Object.entries(NAMED).reduce((sum, [name, char]) => sum.replaceAll(`&${name};`, char), text);

function numbered(raw: string, plain: string): Meant {
  let wrong = '';
  const text = plain.replace(
    NUMBERED,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const char = characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
      if (char === null) wrong ||= whole;
      return char ?? whole;
    },
  );
  return wrong === ''
    ? { text }
    : { message: "a reference to a character that XML doesn't have", at: raw.indexOf(wrong) };
}

function characterOf(code: number): string | null {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
  const char = String.fromCodePoint(code);
  return NO_CHARACTER.test(char) ? null : char;
}
