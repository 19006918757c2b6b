// SPDX-License-Identifier: Apache-2.0
// A policy set in the editor: its rules are one text, and all else is another.
import type { PolicyDocument } from '../../data/policies.ts';
import { UNSEEN } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';

export interface Draft {
  readonly rules: string;
  /** JSON of everything but the rules */
  readonly settings: string;
}

/** Something that is wrong. `line` is one of the rules. */
export interface DraftProblem {
  readonly line: number | null;
  readonly column: number | null;
  readonly text: string;
}

const SPACES = 2;

/** A set as the two texts. */
export function draftOf({ cedar, ...settings }: PolicyDocument): Draft {
  return { rules: typeof cedar === 'string' ? cedar : '', settings: seenJson(settings) };
}

/** JSON in which a character that is not seen stands as its escape, since a plain field would not show it. */
const seenJson = (value: unknown): string =>
  JSON.stringify(value, null, SPACES).replace(new RegExp(UNSEEN.source, 'gu'), (character) =>
    character === '\n' ? character : escaped(character),
  );

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');

/** The set that two texts make, or why they make none. */
export type Drafted =
  | { readonly document: PolicyDocument; readonly problem: null }
  | { readonly document: null; readonly problem: DraftProblem };

export function documentOf({ rules, settings }: Draft): Drafted {
  let read: unknown;
  try {
    read = JSON.parse(settings);
  } catch {
    return { document: null, problem: problem(en.policy.editor.notJson) };
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    return { document: null, problem: problem(en.policy.editor.notJson) };
  return Object.hasOwn(read, 'cedar')
    ? { document: null, problem: problem(en.policy.editor.hasRules) }
    : { document: { ...read, cedar: rules }, problem: null };
}

const problem = (text: string): DraftProblem => ({ line: null, column: null, text });

/** Where a problem begins in a message that lists several: `3:13: `, or a pointer such as `/ttl/approval_ms: `. */
const BETWEEN = /; (?=\d+:\d+: |\/[\w/~]*: )/u;
const PLACE = /^(\d+):(\d+): ([^]*)$/u;

/** The problems that the server's message about a set lists, with their places in the rules. */
export function problemsIn(message: string): readonly DraftProblem[] {
  return message.split(BETWEEN).map((each) => {
    const [, line, column, text] = PLACE.exec(each) ?? [];
    return text === undefined ? problem(each) : { line: Number(line), column: Number(column), text };
  });
}
