// SPDX-License-Identifier: Apache-2.0
//
// Reads the front matter of a SKILL.md. Attacker-controlled: a short piece of YAML, parsed without aliases, tags and
// types that could expand it.
import { SKILL_DESCRIPTION_CHARS_MAX, SKILL_NAME } from '@writ/contract';
import { decodeText } from '@writ/workspace';
import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';

export interface FrontMatter {
  readonly name: string;
  readonly description: string;
}

/** Enough for the longest description and the other keys of published skills. */
const BYTES_MAX = 8 * 1024;
const FENCE = '---';
const NAME = new RegExp(SKILL_NAME);
/**
 * Further keys of the skill format. They are stored with the file and ignored here. In particular, `allowed-tools`
 * grants no tool.
 */
const IGNORED: ReadonlySet<string> = new Set(['license', 'compatibility', 'metadata', 'allowed-tools']);
const REQUIRED = ['name', 'description'] as const;
/** Invisible characters, and characters that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Co}\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff]/u;

type FrontMatterResult = { readonly frontMatter: FrontMatter } | { readonly problems: readonly string[] };
const wrong = (...problems: string[]): FrontMatterResult => ({ problems });

/**
 * Reads the front matter of a SKILL.md. Never throws: bytes with missing or wrong front matter result in problems. Each
 * begins with its position.
 */
export function readFrontMatter(bytes: Uint8Array): FrontMatterResult {
  const text = decodeText(bytes);
  if (text === null) return wrong(': it is no text in UTF-8, or holds a NUL: save it as UTF-8');
  // A byte order mark at the beginning is not part of the text.
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n/);
  if (lines[0]?.trimEnd() !== FENCE)
    return wrong(':1:1: it has to begin with a line `---`, then `name: …` and `description: …`, then `---`');
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === FENCE);
  if (end === -1) return wrong(':1:1: its front matter has no end: close it with a line `---`');
  const yaml = lines.slice(1, end).join('\n');
  if (Buffer.byteLength(yaml) > BYTES_MAX)
    return wrong(`:1:1: its front matter is longer than ${BYTES_MAX} bytes: move text below it`);
  return readYaml(yaml);
}

function readYaml(yaml: string): FrontMatterResult {
  const counter = new LineCounter();
  // The smallest YAML schema: every scalar is a string.
  const document = parseDocument(yaml, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: true,
    schema: 'failsafe',
    strict: true,
    merge: false,
  });
  // The opening `---` line adds one to the line number.
  const position = (offset: number): string => {
    const { line, col } = counter.linePos(offset);
    return `:${Math.max(1, line) + 1}:${Math.max(1, col)}`;
  };
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) return wrong(...broken.map(({ pos, message }) => `${position(pos[0])}: ${message}`));
  return readMembers(document, position);
}

function readMembers({ contents }: Document.Parsed, position: (offset: number) => string): FrontMatterResult {
  if (!isMap(contents)) return wrong(':2:1: its front matter must have `name: …` and `description: …`');
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (const { key, value } of contents.items) {
    const at = position((key as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0);
    const name = isScalar(key) ? String(key.value) : null;
    if (name !== null && IGNORED.has(name)) continue;
    if (name === null || !(REQUIRED as readonly string[]).includes(name))
      problems.push(
        `${at}: ${JSON.stringify(name ?? 'a key that is no text').slice(0, 64)} is not a key of a skill: remove it; the keys are ${[...REQUIRED, ...IGNORED].map((each) => `\`${each}\``).join(', ')}`,
      );
    else if (!isScalar(value) || typeof value.value !== 'string') problems.push(`${at}: \`${name}\` has to be a text`);
    else values.set(name, value.value);
  }
  const [name, description] = [
    values.get('name'),
    values
      .get('description')
      ?.trim()
      .replaceAll(/[ \t\r\n]+/g, ' '),
  ];
  for (const each of REQUIRED)
    if (!values.has(each) && !problems.some((problem) => problem.includes(`\`${each}\` has to be a text`)))
      problems.push(`:2:1: its front matter has no \`${each}\`: add a line \`${each}: …\``);
  if (name !== undefined && !NAME.test(name))
    problems.push(`:2:1: \`name\` has to be one to 64 small letters and digits, with single \`-\` between them`);
  if (description !== undefined) problems.push(...descriptionProblems(description));
  return problems.length > 0 || name === undefined || description === undefined
    ? { problems }
    : { frontMatter: { name, description } };
}

function descriptionProblems(description: string): string[] {
  if (description === '')
    return [':2:1: `description` is empty: describe in a line what the skill is for, and when to use it'];
  if (description.length > SKILL_DESCRIPTION_CHARS_MAX)
    return [
      `:2:1: \`description\` is longer than ${SKILL_DESCRIPTION_CHARS_MAX} characters: a model reads it in each prompt; move text below the front matter`,
    ];
  return INVISIBLE.test(description)
    ? [':2:1: `description` has a character that is invisible or changes the direction of text: remove it']
    : [];
}
