// SPDX-License-Identifier: Apache-2.0
// Settings of tools, searched for keys that start something. Where a key may have another spelling, its line counts.
import { isCommentLine } from './pipeline-lines.ts';

/** Entries that start something, with the name to show to a person. Equal entries start the same. */
export type Starters = ReadonlyMap<string, string>;

/** The parent of a line: YAML shows it by indentation, TOML by headers. In other formats each line is independent. */
export type Format = 'yaml' | 'toml' | 'flat';

/** Lines that contain one of these words, and lines below them. Takes time in proportion to the text. */
export function linesWith(words: RegExp, format: Format = 'flat'): (text: string) => Starters {
  return (text) => {
    const found = new Map<string, string>();
    let within: number | null = null;
    for (const raw of text.split(/[\n\r]/)) {
      const line = raw.trim();
      if (line === '' || isCommentLine(line)) continue;
      const indent = raw.length - raw.trimStart().length;
      if (within !== null && endsBlock(format, line, indent, within)) within = null;
      const says = words.test(line) || mayHideKey(line);
      if (says) found.set(line, keyOf(line));
      else if (within !== null || (format === 'toml' && isContinued(line))) found.set(`below: ${line}`, keyOf(line));
      if (within === null && says && opensBlock(format, line)) within = indent;
    }
    return found;
  };
}

const opensBlock = (format: Format, line: string): boolean =>
  format === 'yaml' || (format === 'toml' && line.startsWith('['));

const endsBlock = (format: Format, line: string, indent: number, within: number): boolean =>
  format === 'yaml'
    ? indent < within || (indent === within && !/^(?:- |-$|[\]},])/.test(line))
    : line.startsWith('[') && line.includes(']');

/** A line of a value that began above; versions and ends of lists are harmless. */
const isContinued = (line: string): boolean =>
  !line.includes('=') && !/^(?:\[.*\]|[\]}],?|["'\d.,\s]+)(?:\s*#.*)?$/.test(line.slice(0, LINE_CHARS_MAX));
const LINE_CHARS_MAX = 500;

/**
 * Escapes that encode no letter. With any other one, at the end of a line too, the key's spelling may hide its name.
 */
const PLAIN_ESCAPE = /\\["\\/bfnrt]/g;
const mayHideKey = (line: string): boolean => line.includes('\\') && line.replaceAll(PLAIN_ESCAPE, '').includes('\\');

export const keyOf = (line: string): string => /^["'-]*\s*["']?([\w.@-]{1,60})/.exec(line)?.[1] ?? '';

/**
 * Keys that contain one of these words, with everything below them, in JSON with comments. A text in another format is
 * read line by line. Takes time in proportion to the text.
 */
export function keysWith(words: RegExp, otherwise: Format = 'yaml'): (text: string) => Starters {
  const byLine = linesWith(words, otherwise);
  return (text) => {
    try {
      const found = new Map<string, string>();
      addKeys(JSON.parse(withoutComments(text)), words, found);
      return found;
    } catch {
      return byLine(text);
    }
  };
}

function addKeys(value: unknown, words: RegExp, found: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    if (!Array.isArray(value) && words.test(key)) found.set(`${key}=${JSON.stringify(below)}`, key);
    else addKeys(below, words, found);
  }
}

const COMMENTS = /"(?:[^"\\\n\r]|\\.)*"?|\/\/[^\n\r]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;
const FINAL_COMMAS = /"(?:[^"\\\n\r]|\\.)*"?|,(?=\s*[}\]])/g;
const withoutComments = (text: string): string => {
  const isKept = (part: string): string => (part.startsWith('"') ? part : ' ');
  return text.replaceAll(COMMENTS, isKept).replaceAll(FINAL_COMMAS, isKept);
};
