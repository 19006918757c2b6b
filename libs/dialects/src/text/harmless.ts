// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (no imitation): a tool's output is never read as a marker, a fence, an end of CDATA, an element or a result
// line of any dialect. Nothing is lost: JSON and XML can escape every character.
import { truncated } from './truncate.ts';

/**
 * Sequences that begin syntax in some dialect: each match is escaped, character by character. Of a marker the word is
 * escaped, since the bracket may be the one that opens CDATA.
 */
const DIALECT_SYNTAX =
  /`{3,}|~{3,}|T(?=OOL_(?:CALL|RESULT))|\](?=\]>)|<(?=\/?\s*(?:tools|results)\b|!\[CDATA\[|\?xml|!DOCTYPE)|A(?=ction results:)/gi;
const IN_ATTRIBUTES = new RegExp(`${DIALECT_SYNTAX.source}|[&<>"\\t\\n\\r]`, 'gi');
/** Ends of lines that JSON leaves unescaped. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** Only ASCII and a few line ends are escaped, so a unit is a character. */
const eachUnit = (text: string, spell: (unit: number) => string): string =>
  Array.from(text, (char) => spell(char.charCodeAt(0))).join('');
const escaped = (text: string): string => eachUnit(text, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
const referred = (text: string): string => eachUnit(text, (unit) => `&#${unit};`);

/** Space for the notice of a cut, in characters. */
export const NOTICE_CHARS = 200;

/**
 * A value as JSON on one line without any dialect's syntax. Parsing the JSON returns the value, except for texts longer
 * than `charsMax`.
 */
export function harmlessJson(value: unknown, charsMax: number): string {
  const json = JSON.stringify(value ?? null, (_key, member: unknown) =>
    typeof member === 'string' ? truncated(member, charsMax) : member,
  ) as string | undefined;
  return (json ?? 'null').replace(DIALECT_SYNTAX, escaped).replace(OTHER_LINE_ENDS, escaped);
}

/** Characters that XML 1.0 can't represent (section 2.2, Char). */
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** Those characters become U+FFFD, as in other encoders. */
const xmlText = (text: string): string => text.toWellFormed().replace(NO_XML, '\ufffd');

/**
 * Text as CDATA. Syntax of a dialect and carriage returns (which an XML parser turns into line feeds) become references
 * between two sections.
 */
export function harmlessCdata(text: string): string {
  const asReference = (found: string): string => `]]>${referred(found)}<![CDATA[`;
  return `<![CDATA[${xmlText(text).replace(DIALECT_SYNTAX, asReference).replace(/\r/g, asReference)}]]>`;
}

/** Text as the value of an attribute in double quotes. */
export const harmlessAttribute = (text: string): string => xmlText(text).replace(IN_ATTRIBUTES, referred);
