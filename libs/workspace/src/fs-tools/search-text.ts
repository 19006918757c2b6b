// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { RE2JS } from 're2js';
import { quote } from '../quote.ts';
import { decodeText } from '../text.ts';
import { TextFinder } from './find-text.ts';
import { ToolFault } from './tool-fault.ts';

/** Some files, and the pattern to search for. */
export interface SearchWork {
  readonly files: readonly Uint8Array[];
  readonly pattern: string;
  readonly regex: boolean;
  /** limit on the lines to find; the search ends with the last of them */
  readonly max: number;
  /** limit on the steps */
  readonly steps: number;
}

/** A matching line, in the file of that index. */
export interface FoundLine {
  readonly file: number;
  readonly line: number;
  readonly text: string;
}

/** The result. `searched` and `bytes` count the text files; `steps` are the steps used. */
export interface SearchedText {
  readonly found: readonly FoundLine[];
  readonly searched: number;
  readonly bytes: number;
  readonly steps: number;
}

/**
 * Limit on the instructions of a compiled expression. Matching takes time in proportion to the text's length times this
 * number; compiling takes time in proportion to it.
 */
const PROGRAM_MAX = 1_000;
/** A line of a minified file would fill the result alone. */
const TEXT_CHARACTERS_MAX = 400;

/** Answers whether a line matches; `stepsPerCharacter` is its cost. */
interface Matcher {
  readonly matches: (line: string) => boolean;
  readonly stepsPerCharacter: number;
}

/**
 * Finds the lines that contain a text, or match a regular expression in RE2 syntax. Skips files that aren't UTF-8 text.
 *
 * @throws ToolFault `search.pattern`; Fault `limit.exceeded` if the steps don't suffice
 */
export function searchText({ files, pattern, regex, max, steps: stepsMax }: SearchWork): SearchedText {
  const matcher = regex ? expressionOf(pattern) : null;
  const finder = regex || pattern.includes('\n') ? null : new TextFinder(new TextEncoder().encode(pattern));
  const found: FoundLine[] = [];
  let [searched, bytes, steps] = [0, 0, 0];
  for (const [file, content] of files.entries()) {
    if (found.length >= max) break;
    const text = decodeText(content);
    if (text === null) continue;
    searched += 1;
    bytes += content.length;
    steps += content.length * (matcher?.stepsPerCharacter ?? 1);
    if (steps > stepsMax) throw tooManySteps(pattern, bytes);
    const lines =
      matcher !== null
        ? linesMatching(text, matcher, max - found.length)
        : finder === null
          ? []
          : linesContaining(content, finder, max - found.length);
    for (const { line, text: shown } of lines) found.push({ file, line, text: shown });
  }
  return { found, searched, bytes, steps };
}

/**
 * Upper bound on the instructions of an expression; Infinity if a repetition may multiply them. A character makes at
 * most one and a half instructions, and each expression has three around it.
 */
export const programSizeBound = (pattern: string): number =>
  pattern.includes('{') ? Infinity : 2 * pattern.length + 4;

function expressionOf(pattern: string): Matcher {
  const compiled = compiledFrom(pattern);
  const size = compiled.programSize();
  if (size > PROGRAM_MAX) {
    throw new ToolFault(
      'search.pattern',
      `the pattern ${quote(pattern)} makes ${size} instructions, more than the ${PROGRAM_MAX} that may be matched`,
      'repeat less in it',
    );
  }
  return { matches: (line) => compiled.matcher(line).find(), stepsPerCharacter: size };
}

function compiledFrom(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it does not compile';
    throw new ToolFault(
      'search.pattern',
      `the pattern ${quote(pattern)} is not a regular expression: ${quote(why)}`,
      'RE2 syntax has no backreferences; without `regex` the pattern is taken as plain text',
    );
  }
}

function tooManySteps(pattern: string, bytes: number): Fault {
  return new Fault(
    'limit.exceeded',
    `the pattern ${quote(pattern)} takes more steps on ${bytes} bytes than one search may; search fewer files, or for a shorter pattern`,
  );
}

function linesMatching(text: string, { matches }: Matcher, max: number): { line: number; text: string }[] {
  const found = [];
  for (let [start, line] = [0, 1]; start < text.length && found.length < max; line++) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const each = text.slice(start, feed > start && text.charCodeAt(feed - 1) === CARRIAGE_RETURN ? end - 1 : end);
    if (matches(each)) found.push({ line, text: shownOf(each) });
    start = end + 1;
  }
  return found;
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** A match never crosses a line end: the text to find has none. */
function linesContaining(content: Uint8Array, finder: TextFinder, max: number): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  let [line, at, past] = [1, 0, -1];
  finder.each(content, false, (place) => {
    if (place < past || found.length === max) return;
    let start = at;
    for (; at < place; at++) {
      if (content[at] !== LINE_FEED) continue;
      line += 1;
      start = at + 1;
    }
    const feed = content.indexOf(LINE_FEED, place);
    past = feed === -1 ? content.length : feed + 1;
    const end = feed === -1 ? content.length : feed > start && content[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed;
    // Only the shown part is decoded: a character has at most four bytes.
    const most = Math.min(end, start + (TEXT_CHARACTERS_MAX + 1) * 4);
    found.push({
      line,
      text: shownOf(
        new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.subarray(start, most), { stream: most < end }),
      ),
    });
    // The next match is searched in the lines after this one.
    if (feed !== -1) [line, at] = [line + 1, past];
  });
  return found;
}

const shownOf = (line: string): string =>
  line.length > TEXT_CHARACTERS_MAX ? `${line.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…` : line;
