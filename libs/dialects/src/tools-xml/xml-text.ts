// SPDX-License-Identifier: Apache-2.0
//
// Characters, references and names of XML 1.0. https://www.w3.org/TR/xml/

/** An error in a text by the rules of XML; `at` within the text. */
export interface XmlMistake {
  readonly message: string;
  readonly at: number;
}

/** A decoded text, or the error. */
export type Decoded = { readonly text: string } | XmlMistake;

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
/** Source of a regular expression for a name. */
export const XML_NAME = `[${NAME_START}][${NAME_START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}]*`;

/** Text without references, such as CDATA: line ends become LF. */
export function plainText(raw: string): Decoded {
  const control = NO_CHARACTER.exec(raw) ?? (raw.isWellFormed() ? null : LONE_SURROGATE.exec(raw));
  if (control !== null) return { message: "a character that XML doesn't have", at: control.index };
  return { text: raw.includes('\r') ? raw.replace(RETURN, '\n') : raw };
}

/** Text between tags. */
export function characterData(raw: string): Decoded {
  const end = raw.indexOf(CDATA_END);
  return end === -1 ? decodeReferences(raw) : { message: '`]]>` stands in a text: escape its `>`', at: end };
}

/** The value of an attribute: a line end or tab in it is a space. */
export function attributeValue(raw: string): Decoded {
  const plain = plainText(raw);
  return 'text' in plain ? decodeReferences(plain.text.replace(SPACES, ' ')) : plain;
}

function decodeReferences(raw: string): Decoded {
  const plain = plainText(raw);
  if (!('text' in plain) || !raw.includes('&')) return plain;
  const none = NO_REFERENCE.exec(raw);
  if (none !== null) return { message: "an undefined entity, or an `&` that isn't escaped as `&amp;`", at: none.index };
  return raw.includes('&#') ? decodeNumbered(raw, plain.text) : { text: decodeNamed(plain.text) };
}

/** Each pass is one call of the engine; `&amp;` comes last, so its result is never decoded again. */
const decodeNamed = (text: string): string =>
  Object.entries(NAMED).reduce((sum, [name, char]) => sum.replaceAll(`&${name};`, char), text);

function decodeNumbered(raw: string, plain: string): Decoded {
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
