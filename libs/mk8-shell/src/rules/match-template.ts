// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../registry/arguments.ts';
import { PROTECTED_BRANCHES } from './data/git-templates.ts';
import { isUnsafeBinary, type Rules } from './rules.ts';
import type { CommandTemplate, TemplatePart } from './schema.ts';

type Slot = Exclude<TemplatePart, string>;
/** A word of a command, or null where it is known only at run time. */
export type Word = string | null;
export interface Match {
  readonly template: CommandTemplate;
  /** the words that are paths, and the access to each */ readonly paths: readonly {
    readonly place: number;
    readonly access: Access;
  }[];
}
export type Matched =
  { readonly match: Match; readonly fault: null } | { readonly match: null; readonly fault: string };
/** Checks a word in a path slot. */
export type PathFault = (place: number, access: Access) => string | null;

/** Of a message of a commit, tag or merge. */
const TEXT_CHARS_MAX = 200;

/** The first template that a command fits, with regard to case. Index 0 is the program. */
export function matchTemplate(rules: Rules, words: readonly Word[], pathFault: PathFault): Matched {
  const [binary, ...rest] = words;
  if (binary === null || binary === undefined)
    return { match: null, fault: 'the program must be named as it is, without captures' };
  const templates = rules.templates.get(binary) ?? [];
  if (templates.length === 0)
    return {
      match: null,
      fault: isUnsafeBinary(binary)
        ? `\`${binary}\` is always blocked, since it runs what it is given`
        : `no template begins with \`${binary.slice(0, 64)}\`; Mk8Templates lists them`,
    };
  const reasons = new Set<string>();
  for (const template of templates) {
    const paths: { place: number; access: Access }[] = [];
    if (fits(rules, template.parts, rest, { at: 0, paths, pathFault, reasons }))
      return { match: { template, paths }, fault: null };
  }
  const why = [...reasons].slice(0, 3).join('; ');
  const hint = isUnsafeBinary(binary)
    ? `: \`${binary}\` is blocked but for exactly ${templates
        .map(commandOf)
        .map((text) => `\`${text}\``)
        .join(', ')}`
    : `${why === '' ? '' : `: ${why}`}; there are ${templates
        .slice(0, 8)
        .map(({ id }) => id)
        .join(', ')}${templates.length > 8 ? ' and more' : ''}`;
  return { match: null, fault: `no template of \`${binary}\` fits${hint}` };
}

interface Matching {
  readonly at: number;
  readonly paths: { place: number; access: Access }[];
  readonly pathFault: PathFault;
  readonly reasons: Set<string>;
}

function fits(rules: Rules, parts: readonly TemplatePart[], words: readonly Word[], matching: Matching): boolean {
  const { at, paths } = matching;
  const [part, ...later] = parts;
  if (part === undefined) return at === words.length;
  if (typeof part === 'string') return words[at] === part && fits(rules, later, words, { ...matching, at: at + 1 });
  // Greedy: each slot gives back only what later parts need.
  let taken = 0;
  while (taken < (part.most ?? 1) && at + taken < words.length && takes(rules, part, at + taken, words, matching))
    taken++;
  const known = paths.length;
  for (; taken >= (part.optional ? 0 : 1); taken--) {
    if (part.slot === 'path')
      paths.push(...Array.from({ length: taken }, (_, n) => ({ place: at + n + 1, access: part.access })));
    if (fits(rules, later, words, { ...matching, at: at + taken })) return true;
    paths.length = known;
  }
  return false;
}

function takes(
  rules: Rules,
  part: Slot,
  at: number,
  words: readonly Word[],
  { pathFault, reasons }: Matching,
): boolean {
  const word = words[at];
  if (word === undefined) return false;
  const fault =
    part.slot === 'path'
      ? pathSlotFault(word, pathFault(at + 1, part.access))
      : word === null
        ? null
        : slotFault(rules, part, word);
  // A word that isn't among a slot's choices belongs to another command, and isn't reported.
  if (fault !== null && part.slot !== 'choice' && word !== null && !word.startsWith('-'))
    reasons.add(`\`${word.slice(0, 40)}\` ${fault}`);
  return fault === null;
}

const pathSlotFault = (word: Word, fault: string | null): string | null =>
  word?.startsWith('-') ? 'would be an option' : fault;

/**
 * Why a word does not fit a slot, or null. No slot accepts a word that a program could parse as an option, except
 * choices that list it.
 */
export function slotFault(rules: Rules, part: Slot, word: string): string | null {
  if (part.slot === 'choice') return part.of.includes(word) ? null : 'is none of the choices';
  if (word === '' || word.startsWith('-')) return 'would be an option, or is empty';
  switch (part.slot) {
    case 'word':
      return rules.words.get(part.list)?.includes(word) ? null : `is not in the list \`${part.list}\``;
    case 'words':
      return word.split(' ').every((one) => rules.words.get(part.list)?.includes(one))
        ? null
        : `has words that are not in the list \`${part.list}\``;
    case 'int':
      return /^[0-9]{1,9}$/.test(word) && Number(word) >= part.min && Number(word) <= part.max
        ? null
        : `must be from ${part.min} to ${part.max}`;
    case 'name':
      return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(word) && !word.includes('..') ? null : 'is no name';
    case 'url':
      return rules.urls.has(word) ? null : "is no URL of the sandbox's list";
    case 'text':
      return word.length <= TEXT_CHARS_MAX ? null : `is longer than ${TEXT_CHARS_MAX} characters`;
    case 'branch':
      return branchFault(word, part.protected);
    case 'path':
      return null;
  }
}

function branchFault(word: string, mayBeProtected: boolean): string | null {
  // No `..`, `:`, `+`, `~`, `^` and `@{`: a revision's operators could reach something other than the named one.
  if (
    !/^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/.test(word) ||
    word.includes('..') ||
    word.includes('//') ||
    /\/$|\.$|\.lock$/.test(word)
  )
    return 'is no name of a branch';
  return !mayBeProtected && isProtectedBranch(word)
    ? 'is a protected branch: work on a feature, bugfix or hotfix branch'
    : null;
}

/** Answers whether a branch is read-only, with any remote or `refs/` before its name, and in any case. */
export function isProtectedBranch(name: string): boolean {
  const segments = name.toLowerCase().split('/');
  const names: readonly string[] = PROTECTED_BRANCHES;
  // `feature/main` is another branch than main, but `origin/main` and `refs/heads/main` are main.
  const owned = /^(?:feature|bugfix|hotfix|chore|docs|test)$/.test(segments[0] ?? '');
  return (
    !owned &&
    (names.includes(segments.at(-1) ?? '') ||
      segments.includes('release') ||
      (segments.at(-1) === 'head' && segments.length > 1))
  );
}

/** A template as a text: its literal words, and slots in braces. */
export function commandOf({ binary, parts }: CommandTemplate): string {
  return [
    binary,
    ...parts.map((part) => {
      if (typeof part === 'string') return part;
      const slot =
        part.slot === 'choice'
          ? part.of.join('|')
          : 'list' in part
            ? `${part.slot} of ${part.list}`
            : part.slot === 'int'
              ? `${part.min}–${part.max}`
              : part.slot;
      return `${part.optional ? '[' : '{'}${slot}${part.most === undefined ? '' : '…'}${part.optional ? ']' : '}'}`;
    }),
  ].join(' ');
}
