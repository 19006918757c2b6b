// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (no imitation): what a tool said never reads as a marker, a fence, an end of CDATA, an element or a result
// line of any dialect. Nothing is lost by it: JSON and XML have another spelling for every character.
import { truncated } from './shown.ts';

/**
 * What begins something in some dialect: each match is spelt otherwise, character by character. Of a marker its word
 * is, since the bracket may be the one that opens CDATA.
 */
const MEANS_SOMETHING =
  /`{3,}|~{3,}|T(?=OOL_(?:CALL|RESULT))|\](?=\]>)|<(?=\/?\s*(?:tools|results)\b|!\[CDATA\[|\?xml|!DOCTYPE)|A(?=ction results:)/gi;
const IN_ATTRIBUTES = new RegExp(`${MEANS_SOMETHING.source}|[&<>"\\t\\n\\r]`, 'gi');
/** Ends of lines that JSON leaves as they are. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** ASCII and a few line ends are all that is ever spelt otherwise: a unit is a character. */
const eachUnit = (text: string, spell: (unit: number) => string): string =>
  Array.from(text, (char) => spell(char.charCodeAt(0))).join('');
const escaped = (text: string): string => eachUnit(text, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
const referred = (text: string): string => eachUnit(text, (unit) => `&#${unit};`);

/**
 * A value as JSON on one line in which nothing reads as a piece of any dialect; reading it as JSON gives the value
 * back, but for texts longer than `charsMax`.
 */
export function harmlessJson(value: unknown, charsMax: number): string {
  const json = JSON.stringify(value ?? null, (_key, member: unknown) =>
    typeof member === 'string' ? truncated(member, charsMax) : member,
  ) as string | undefined;
  return (json ?? 'null').replace(MEANS_SOMETHING, escaped).replace(OTHER_LINE_ENDS, escaped);
}

/** What XML 1.0 has no spelling for (section 2.2, Char). */
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** What has no spelling becomes U+FFFD, as in any reader that meets it. */
const xmlText = (text: string): string => text.toWellFormed().replace(NO_XML, '\ufffd');

/**
 * Text as CDATA; what reads as a piece of a dialect, and carriage returns (which a reader of XML turns into line
 * feeds), stand as references between two sections.
 */
export function harmlessCdata(text: string): string {
  const apart = (found: string): string => `]]>${referred(found)}<![CDATA[`;
  return `<![CDATA[${xmlText(text).replace(MEANS_SOMETHING, apart).replace(/\r/g, apart)}]]>`;
}

/** Text as the value of an attribute in double quotes. */
export const harmlessAttribute = (text: string): string => xmlText(text).replace(IN_ATTRIBUTES, referred);
