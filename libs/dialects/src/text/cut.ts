// SPDX-License-Identifier: Apache-2.0
//
// Texts of results that are too long for a model. INVARIANT (true counts): however often a text is cut, by its tool and
// on its way, one notice says how much there was in all and how much of it is shown.
import { FS_READ, NET_EGRESS, SHELL_DANGEROUS, SHELL_RUN, SHELL_SESSION, WEB_FETCH } from '@writ/contract';

/** How much of a text is shown. Null: it isn't text, or nobody counted. Bytes as UTF-8. */
export interface Cut {
  readonly bytes_shown: number;
  readonly bytes_total: number | null;
  readonly lines_shown: number | null;
  readonly lines_total: number | null;
}

type Result = Readonly<Record<string, unknown>>;

/** The member with the text, by canonical tool. */
const MEMBERS: Readonly<Record<string, string>> = {
  [FS_READ.tool_id]: 'content',
  [SHELL_RUN.tool_id]: 'output',
  [SHELL_SESSION.tool_id]: 'output',
  [SHELL_DANGEROUS.tool_id]: 'output',
  [WEB_FETCH.tool_id]: 'text',
  [NET_EGRESS.tool_id]: 'body',
};

/** The bytes of a text as UTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate pair has two units and four bytes; a lone surrogate is encoded as U+FFFD.
    if (unit > 0x7f) bytes += unit > 0x7ff ? (isPair(text, at) ? 1 : 2) : 1;
  }
  return bytes;
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;
const isPair = (text: string, at: number): boolean =>
  (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) ||
  (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)));

/** The lines of a text; its end ends the last one. */
export function linesOf(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

/** The beginning of a text. A surrogate pair is never split. */
export function headOf(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return text.slice(0, charsMax > 0 && isHigh(text.charCodeAt(charsMax - 1)) ? charsMax - 1 : charsMax);
}

/** The counts of a text, of which the beginning is shown. */
export const cutOf = (head: string, text: string): Cut => ({
  bytes_shown: bytesOf(head),
  bytes_total: bytesOf(text),
  lines_shown: linesOf(head),
  lines_total: linesOf(text),
});

/** The counts in words. */
export function noticeOf({ bytes_shown, bytes_total, lines_shown, lines_total }: Cut): string {
  const lines = lines_shown === null ? '' : `, ${lines_shown}${lines_total === null ? '' : ` of ${lines_total}`} lines`;
  if (bytes_total === null) return `… [cut: ${bytes_shown} bytes${lines} shown, and there is more]`;
  const uncounted = lines_shown !== null && lines_total === null ? '; its lines in all were not counted' : '';
  return `… [cut: ${bytes_shown} of ${bytes_total} bytes${lines} shown${uncounted}]`;
}

/** The text of a result, and what its tool says about it. */
interface Found {
  readonly member: string;
  readonly text: string;
  readonly isBase64: boolean;
  /** counts of all that there was, if the tool cut it; null if it is whole */
  readonly whole: { readonly bytes: number | null; readonly lines: number | null } | null;
}

const countOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The mark that a tool leaves in cut output. */
const markOf = (bytes: number): string => `\n[output cut: ${bytes} more bytes]`;

function textIn(toolId: string | null, result: Result): Found | null {
  const { truncated_bytes, truncated, encoding } = result;
  const isCommand = typeof truncated_bytes === 'number' && typeof result['output'] === 'string';
  const member = toolId !== null && Object.hasOwn(MEMBERS, toolId) ? MEMBERS[toolId] : isCommand ? 'output' : undefined;
  if (member === undefined || typeof result[member] !== 'string') return null;
  const text = result[member];
  if (isCommand) {
    const mark = markOf(truncated_bytes);
    const said = truncated_bytes > 0 && text.endsWith(mark) ? text.slice(0, -mark.length) : text;
    const bytes = countOf(result['output_bytes']) ?? bytesOf(said) + truncated_bytes;
    return {
      member,
      text: said,
      isBase64: false,
      whole: truncated_bytes > 0 ? { bytes, lines: countOf(result['output_lines']) } : null,
    };
  }
  // The size of a page counts its markup.
  const bytes = toolId === WEB_FETCH.tool_id ? null : countOf(result['size']);
  const whole = truncated === true ? { bytes, lines: countOf(result['lines']) } : null;
  return { member, text, isBase64: encoding === 'base64', whole };
}

const BASE64_CHARS = 4;
const BASE64_BYTES = 3;
const base64Bytes = (text: string): number =>
  Math.floor((text.replace(/={1,2}$/, '').length * BASE64_BYTES) / BASE64_CHARS);

/**
 * A result whose text is at most `charsMax` long. Where it was cut, here or before, it has the counts as `cut`, and no
 * notice in its text yet.
 */
export function cutResult(toolId: string | null, result: unknown, charsMax: number): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const found = textIn(toolId, result as Result);
  if (found === null) return result;
  const { member, text, isBase64, whole } = found;
  const before = cutIn(result);
  // Base64 is cut between groups, so that its beginning can be decoded.
  const head = headOf(text, isBase64 ? charsMax - (charsMax % BASE64_CHARS) : charsMax);
  if (before === null && whole === null && head === text) return result;
  const count = (part: string): Pick<Cut, 'bytes_shown' | 'lines_shown'> => ({
    bytes_shown: isBase64 ? base64Bytes(part) : bytesOf(part),
    lines_shown: isBase64 ? null : linesOf(part),
  });
  const all = count(text);
  const cut: Cut = {
    ...count(head),
    bytes_total: before?.bytes_total ?? (whole === null ? all.bytes_shown : whole.bytes),
    lines_total:
      isBase64 || before !== null ? (before?.lines_total ?? null) : (whole ?? { lines: all.lines_shown }).lines,
  };
  return { ...result, [member]: head, cut };
}

/** The counts in a result that was cut; null if it wasn't. */
export function cutIn(result: unknown): Cut | null {
  const { cut } = (typeof result === 'object' ? (result ?? {}) : {}) as { cut?: unknown };
  return typeof cut === 'object' && cut !== null && 'bytes_shown' in cut ? (cut as Cut) : null;
}

/** A result for JSON: cut, with the notice in its text and the counts in `cut`. */
export function cutForJson(toolId: string | null, result: unknown, charsMax: number): unknown {
  const short = cutResult(toolId, result, charsMax);
  const cut = cutIn(short);
  const found = cut === null ? null : textIn(toolId, { ...(short as Result), truncated_bytes: 0 });
  return cut === null || found === null || found.isBase64
    ? short
    : { ...(short as Result), [found.member]: `${found.text}\n${noticeOf(cut)}` };
}
