// SPDX-License-Identifier: Apache-2.0
import { DIALECT_LIMITS } from '../limits.ts';
import { quoted } from '../text/truncate.ts';
import { attributeValue, XML_NAME, type XmlMistake } from './xml-text.ts';

/** A parsed tag. */
export interface Tag {
  readonly kind: 'opening' | 'closing' | 'empty';
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const SPACE = '[ \\t\\r\\n]';
const BEGINS = new RegExp(`<(/?)(${XML_NAME})`, 'uy');
const ENDS = new RegExp(`${SPACE}*(/?)>$`, 'uy');
const ATTRIBUTE = new RegExp(`${SPACE}+(${XML_NAME})${SPACE}*=${SPACE}*(?:"([^"]*)"|'([^']*)')`, 'uy');
const NONE: Tag['attributes'] = Object.freeze({});

const PLAIN = /^<(\/?)([A-Za-z_]{1,32})(\/?)>$/;

/** Parses a tag, from its `<` to its `>`, or returns the error. Attacker-controlled. */
export function readTag(raw: string): Tag | XmlMistake {
  const [, opening, plain, empty] = PLAIN.exec(raw) ?? [];
  if (plain !== undefined && (opening === '' || empty === ''))
    return { kind: opening === '/' ? 'closing' : empty === '/' ? 'empty' : 'opening', name: plain, attributes: NONE };
  BEGINS.lastIndex = 0;
  const [begun = '', slash = '', name = ''] = BEGINS.exec(raw) ?? [];
  if (begun === '') return { message: 'a `<` that begins no tag: escape it as `&lt;` or put it into CDATA', at: 0 };
  const read = readAttributes(raw, begun.length);
  if ('message' in read) return read;
  ENDS.lastIndex = read.end;
  const [, last] = ENDS.exec(raw) ?? [];
  const closes = slash === '/';
  if (last === undefined || (closes && (last === '/' || read.attributes !== NONE)))
    return { message: `the tag ${quoted(begun)} is malformed`, at: read.end };
  return { kind: closes ? 'closing' : last === '/' ? 'empty' : 'opening', name, attributes: read.attributes };
}

function readAttributes(
  raw: string,
  from: number,
): { readonly attributes: Tag['attributes']; readonly end: number } | XmlMistake {
  let attributes: Map<string, string> | null = null;
  let end = from;
  ATTRIBUTE.lastIndex = end;
  for (let found = ATTRIBUTE.exec(raw); found !== null; found = ATTRIBUTE.exec(raw)) {
    const [whole, name = '', double, single] = found;
    const value = attributeValue(double ?? single ?? '');
    if (!('text' in value))
      return { message: value.message, at: end + whole.length - 1 - (double ?? single ?? '').length + value.at };
    attributes ??= new Map();
    if (attributes.size === DIALECT_LIMITS.attributes)
      return { message: `more than ${DIALECT_LIMITS.attributes} attributes`, at: end };
    if (attributes.has(name)) return { message: `duplicate attribute ${quoted(name)}`, at: end };
    attributes.set(name, value.text);
    end += whole.length;
  }
  return { attributes: attributes === null ? NONE : Object.fromEntries(attributes), end };
}
