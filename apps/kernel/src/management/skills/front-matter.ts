// SPDX-License-Identifier: Apache-2.0
//
// What a SKILL.md says of itself. Attacker-controlled: a short piece of YAML in which nothing can stand for more than
// it is.
import { SKILL_DESCRIPTION_CHARS_MAX, SKILL_NAME } from '@writ/contract';
import { decodeText } from '@writ/workspace';
import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';

export interface FrontMatter {
  readonly name: string;
  readonly description: string;
}

/** Enough for the longest description and what published skills say beside it. */
const BYTES_MAX = 8 * 1024;
const FENCE = '---';
const NAME = new RegExp(SKILL_NAME);
/**
 * What the format of skills lets an author say beside these two. It is kept with the file, and means nothing here:
 * above all, a tool that is listed in it is granted to nobody.
 */
const IGNORED: ReadonlySet<string> = new Set(['license', 'compatibility', 'metadata', 'allowed-tools']);
const WANTED = ['name', 'description'] as const;
/** Nothing that isn't seen, or turns the text around it. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Co}\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff]/u;

type Read = { readonly frontMatter: FrontMatter } | { readonly problems: readonly string[] };
const wrong = (...problems: string[]): Read => ({ problems });

/**
 * Reads the front matter of a SKILL.md. Total: bytes that have none, or a wrong one, have problems, each beginning with
 * its place.
 */
export function readFrontMatter(bytes: Uint8Array): Read {
  const text = decodeText(bytes);
  if (text === null) return wrong(': it is no text in UTF-8, or holds a NUL: save it as UTF-8');
  // An editor's mark at the beginning is no part of the text.
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

function readYaml(yaml: string): Read {
  const counter = new LineCounter();
  // The smallest of YAML's schemas: everything is a text.
  const document = parseDocument(yaml, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: true,
    schema: 'failsafe',
    strict: true,
    merge: false,
  });
  // The line that opens it stands above.
  const place = (offset: number): string => {
    const { line, col } = counter.linePos(offset);
    return `:${Math.max(1, line) + 1}:${Math.max(1, col)}`;
  };
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) return wrong(...broken.map(({ pos, message }) => `${place(pos[0])}: ${message}`));
  return readMembers(document, place);
}

function readMembers({ contents }: Document.Parsed, place: (offset: number) => string): Read {
  if (!isMap(contents)) return wrong(':2:1: its front matter has to say `name: …` and `description: …`');
  const said = new Map<string, string>();
  const problems: string[] = [];
  for (const { key, value } of contents.items) {
    const at = place((key as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0);
    const name = isScalar(key) ? String(key.value) : null;
    if (name !== null && IGNORED.has(name)) continue;
    if (name === null || !(WANTED as readonly string[]).includes(name))
      problems.push(
        `${at}: ${JSON.stringify(name ?? 'a key that is no text').slice(0, 64)} is nothing that a skill says of itself: take it out; it may say ${[...WANTED, ...IGNORED].map((each) => `\`${each}\``).join(', ')}`,
      );
    else if (!isScalar(value) || typeof value.value !== 'string') problems.push(`${at}: \`${name}\` has to be a text`);
    else said.set(name, value.value);
  }
  const [name, description] = [
    said.get('name'),
    said
      .get('description')
      ?.trim()
      .replaceAll(/[ \t\r\n]+/g, ' '),
  ];
  for (const each of WANTED)
    if (!said.has(each) && !problems.some((problem) => problem.includes(`\`${each}\` has to be a text`)))
      problems.push(`:2:1: its front matter says no \`${each}\`: add a line \`${each}: …\``);
  if (name !== undefined && !NAME.test(name))
    problems.push(`:2:1: \`name\` has to be one to 64 small letters and digits, with single \`-\` between them`);
  if (description !== undefined) problems.push(...descriptionProblems(description));
  return problems.length > 0 || name === undefined || description === undefined
    ? { problems }
    : { frontMatter: { name, description } };
}

function descriptionProblems(description: string): string[] {
  if (description === '')
    return [':2:1: `description` is empty: say in a line what the skill is for, and when to use it'];
  if (description.length > SKILL_DESCRIPTION_CHARS_MAX)
    return [
      `:2:1: \`description\` is longer than ${SKILL_DESCRIPTION_CHARS_MAX} characters: a model reads it in each prompt; move text below the front matter`,
    ];
  return UNSEEN.test(description)
    ? [':2:1: `description` holds a character that nobody sees, or that turns text around: take it out']
    : [];
}
