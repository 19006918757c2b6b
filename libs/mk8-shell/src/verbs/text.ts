// SPDX-License-Identifier: Apache-2.0
import { VERB_LIMITS } from '../limits.ts';
import { algorithm, choice, int, optional, regex, text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import { StepError } from '../run/step-error.ts';
import { digestOf } from './hash.ts';
import { capped, linesOf, listed, yesOrNo } from './lines.ts';
import { finder, matchesOf } from './regex.ts';

const verb = verbsOf('text');
const input = text('input');
/** The size limit of a replaced or joined text. */
const MADE_CHARS_MAX = 16 * 1024 * 1024;

function replaced(whole: string, old: string, by: string): string {
  if (old === '') throw new StepError('the text to replace is empty');
  const parts = whole.split(old);
  if (whole.length + (parts.length - 1) * (by.length - old.length) > MADE_CHARS_MAX)
    throw new StepError(`it would be longer than ${MADE_CHARS_MAX} characters`);
  return parts.join(by);
}

const substring = ([whole = '', start = '', length]: readonly string[]): string => {
  const characters = [...whole];
  if (Number(start) > characters.length)
    throw new StepError(`the text has ${characters.length} characters, and none at ${start}`);
  return characters.slice(Number(start), length === undefined ? undefined : Number(start) + Number(length)).join('');
};

function padded([whole = '', width = '', filler = ' ']: readonly string[], side: 'left' | 'right'): string {
  if ([...filler].length !== 1) throw new StepError('what fills up must be one character');
  const fill = filler.repeat(Math.max(0, Number(width) - [...whole].length));
  return side === 'left' ? fill + whole : whole + fill;
}

const sorted = ([whole = '', direction = 'asc']: readonly string[]): string => {
  const lines = linesOf(whole).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return listed(direction.toLowerCase() === 'desc' ? lines.reverse() : lines);
};

const cells = (line: string, delimiter: string): string[] =>
  delimiter === '' ? line.trim().split(/\s+/) : line.split(delimiter);

function columns([whole = '', delimiter = '']: readonly string[]): string {
  const rows = linesOf(whole).map((line) => cells(line, delimiter).map((cell) => cell.trim()));
  const widths: number[] = [];
  for (const row of rows) for (const [n, cell] of row.entries()) widths[n] = Math.max(widths[n] ?? 0, cell.length);
  if (rows.length * widths.reduce((sum, width) => sum + width + 2, 0) > MADE_CHARS_MAX)
    throw new StepError('the table would be too large');
  return listed(
    rows.map((row) =>
      row
        .map((cell, n) => (n === row.length - 1 ? cell : cell.padEnd(widths[n] ?? 0)))
        .join('  ')
        .trimEnd(),
    ),
  );
}

/** Base64 in its strict form: an invalid text is refused instead of guessed. */
function decodeBase64(encoded: string): string {
  const bare = encoded.replaceAll(/\s/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(bare))
    throw new StepError('it is no base64');
  return utf8Of(Buffer.from(bare, 'base64'), 'it decodes to no text of UTF-8');
}

export function utf8Of(bytes: Uint8Array, otherwise: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new StepError(otherwise, { cause: error });
  }
}

function decodeUrl(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch (error) {
    throw new StepError('it holds a `%` that begins no UTF-8', { cause: error });
  }
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Unpaired surrogates have no encoding in UTF-8. */
const wellFormed = (whole: string): string => whole.toWellFormed();
const indexIn = (whole: string, at: number): string => String(at < 0 ? -1 : [...whole.slice(0, at)].length);

const MATCHING: readonly Verb[] = [
  verb(
    'TextRegex',
    'none',
    'every match, one a line; 500 at most',
    [input, regex('pattern')],
    ['a1 b22', '[0-9]+'],
    ([whole = '', pattern = ''], { checkRegexTime }) =>
      capped(
        Array.from(
          matchesOf(whole, pattern, checkRegexTime, VERB_LIMITS.searchMatches + 1),
          (match) => match.group() ?? '',
        ),
        VERB_LIMITS.searchMatches,
      ),
  ),
  verb(
    'TextRegexGroups',
    'none',
    'the groups of the first match, one a line as `name or number: text`; nothing where none matches',
    [input, regex('pattern')],
    ['key=value', '(\\w+)=(?P<right>\\w+)'],
    ([whole = '', pattern = ''], { checkRegexTime }) => {
      for (const match of matchesOf(whole, pattern, checkRegexTime, 1)) {
        const names = new Map(Object.entries(match.pattern().namedGroups()).map(([name, n]) => [n, name]));
        return listed(
          Array.from({ length: match.groupCount() + 1 }, (_, n) => `${names.get(n) ?? n}: ${match.group(n) ?? ''}`),
        );
      }
      return '';
    },
  ),
  verb(
    'TextMatch',
    'none',
    'whether an expression matches somewhere',
    [input, regex('pattern')],
    ['v12', '^v[0-9]+$'],
    ([whole = '', pattern = ''], { checkRegexTime }) => yesOrNo(finder(pattern, checkRegexTime)(whole)),
  ),
  verb(
    'TextContains',
    'none',
    'whether it holds a text',
    [input, text('substring')],
    ['abc', 'b'],
    ([whole = '', part = '']) => yesOrNo(whole.includes(part)),
  ),
  verb(
    'TextStartsWith',
    'none',
    'whether it begins with a text',
    [input, text('prefix')],
    ['abc', 'ab'],
    ([whole = '', part = '']) => yesOrNo(whole.startsWith(part)),
  ),
  verb(
    'TextEndsWith',
    'none',
    'whether it ends in a text',
    [input, text('suffix')],
    ['abc', 'bc'],
    ([whole = '', part = '']) => yesOrNo(whole.endsWith(part)),
  ),
  verb(
    'TextCount',
    'none',
    'how often a text stands in it; without one, how many characters it has',
    [input, optional(text('pattern'))],
    ['a,b,c', ','],
    ([whole = '', part]) =>
      String(part === undefined || part === '' ? [...whole].length : whole.split(part).length - 1),
  ),
  verb(
    'TextIndexOf',
    'none',
    "where a text first stands, counted from 0; -1 where it doesn't",
    [input, text('substring')],
    ['abcb', 'b'],
    ([whole = '', part = '']) => indexIn(whole, whole.indexOf(part)),
  ),
  verb(
    'TextLastIndexOf',
    'none',
    "where a text last stands, counted from 0; -1 where it doesn't",
    [input, text('substring')],
    ['abcb', 'b'],
    ([whole = '', part = '']) => indexIn(whole, whole.lastIndexOf(part)),
  ),
  verb('TextWordCount', 'none', 'how many words it has', [input], ['two words'], ([whole = '']) =>
    String(whole.trim() === '' ? 0 : whole.trim().split(/\s+/).length),
  ),
  verb('TextLength', 'none', 'how many characters it has', [input], ['abc'], ([whole = '']) =>
    String([...whole].length),
  ),
];

const CHANGING: readonly Verb[] = [
  verb(
    'TextReplace',
    'none',
    'with every occurrence of a text replaced',
    [input, text('old'), text('new')],
    ['a-b-c', '-', '+'],
    ([whole = '', old = '', by = '']) => replaced(whole, old, by),
  ),
  verb(
    'TextRemove',
    'none',
    'without a text, wherever it stands',
    [input, text('substring')],
    ['a-b-c', '-'],
    ([whole = '', part = '']) => replaced(whole, part, ''),
  ),
  verb(
    'TextSplit',
    'none',
    'its parts between a delimiter, one a line',
    [input, text('delimiter')],
    ['a,b', ','],
    ([whole = '', delimiter = '']) => listed(delimiter === '' ? [...whole] : whole.split(delimiter)),
  ),
  verb(
    'TextJoin',
    'none',
    'texts with a delimiter between them',
    [text('delimiter'), text('part')],
    [', ', 'a', 'b'],
    ([delimiter = '', ...parts]) => parts.join(delimiter),
    { most: 33 },
  ),
  verb('TextTrim', 'none', 'without white space at both ends', [input], [' a '], ([whole = '']) => whole.trim()),
  verb(
    'TextSubstring',
    'none',
    'a part of it, from a place counted from 0',
    [input, int('start', 0, 16_777_216), optional(int('length', 0, 16_777_216))],
    ['abcdef', '1', '3'],
    substring,
  ),
  verb('TextLines', 'none', 'its lines, with one kind of line end', [input], ['a\r\nb\r\n'], ([whole = '']) =>
    listed(linesOf(whole)),
  ),
  verb('TextToUpper', 'none', 'in capitals', [input], ['abc'], ([whole = '']) => whole.toUpperCase()),
  verb('TextToLower', 'none', 'in small letters', [input], ['ABC'], ([whole = '']) => whole.toLowerCase()),
  verb(
    'TextSort',
    'none',
    'its lines in order',
    [input, optional(choice('direction', 'asc', 'desc'))],
    ['b\na', 'asc'],
    sorted,
  ),
  verb('TextUniq', 'none', 'its lines, each the first time alone', [input], ['a\nb\na'], ([whole = '']) =>
    listed([...new Set(linesOf(whole))]),
  ),
  verb('TextReverse', 'none', 'its characters from the last to the first', [input], ['abc'], ([whole = '']) =>
    [...whole].reverse().join(''),
  ),
  verb(
    'TextPadLeft',
    'none',
    'filled up on the left',
    [input, int('width', 0, 10_000), optional(text('char'))],
    ['7', '3', '0'],
    (args) => padded(args, 'left'),
  ),
  verb(
    'TextPadRight',
    'none',
    'filled up on the right',
    [input, int('width', 0, 10_000), optional(text('char'))],
    ['7', '3', '.'],
    (args) => padded(args, 'right'),
  ),
  verb(
    'TextRepeat',
    'none',
    'so many times',
    [input, int('count', 0, 256)],
    ['ab', '3'],
    ([whole = '', times = '']) => {
      if (whole.length * Number(times) > MADE_CHARS_MAX)
        throw new StepError(`it would be longer than ${MADE_CHARS_MAX} characters`);
      return whole.repeat(Number(times));
    },
  ),
  verb(
    'TextColumn',
    'none',
    'one column of its lines, counted from 0; columns are parted by white space unless a delimiter is given',
    [input, int('column', 0, 1000), optional(text('delimiter'))],
    ['a b\nc d', '1'],
    ([whole = '', column = '', delimiter = '']) =>
      listed(linesOf(whole).map((line) => cells(line, delimiter)[Number(column)] ?? '')),
  ),
  verb(
    'TextTable',
    'none',
    'its lines with columns below each other',
    [input, optional(text('delimiter'))],
    ['a,bb\nccc,d', ','],
    columns,
  ),
];

const ENCODING: readonly Verb[] = [
  verb('TextBase64Encode', 'none', 'in base64', [input], ['hi'], ([whole = '']) =>
    Buffer.from(whole, 'utf8').toString('base64'),
  ),
  verb('TextBase64Decode', 'none', 'out of base64', [input], ['aGk='], ([whole = '']) => decodeBase64(whole)),
  verb('TextUrlEncode', 'none', 'for a part of a URL', [input], ['a b&c'], ([whole = '']) =>
    encodeURIComponent(wellFormed(whole)),
  ),
  verb('TextUrlDecode', 'none', 'out of a part of a URL', [input], ['a%20b'], ([whole = '']) => decodeUrl(whole)),
  verb('TextHtmlEncode', 'none', 'for a page of HTML', [input], ['<a href="x">'], ([whole = '']) =>
    whole.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? ''),
  ),
  verb('TextHash', 'none', 'the digest of a text', [input, algorithm()], ['abc'], ([whole = '', name]) =>
    digestOf(whole, name),
  ),
];

export const TEXT_VERBS: readonly Verb[] = [...MATCHING, ...CHANGING, ...ENCODING];
