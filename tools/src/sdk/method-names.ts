// SPDX-License-Identifier: Apache-2.0
import type { ApiRoute } from './api-document.ts';

/** Routes of protocols that have clients of their own. */
export const WITHOUT_METHOD: ReadonlySet<string> = new Set(['postMcp', 'postMcpWithToken']);

/** Groups whose noun the words of operations name otherwise. */
const NOUNS: Readonly<Record<string, readonly string[]>> = { capabilityTokens: ['token'], log: [], system: [] };
/** Verbs of the document that the client has by the names that clients of APIs usually use. */
const VERBS: Readonly<Record<string, string>> = { read: 'get', remove: 'delete' };

/** The group of a route: the first part of its path. */
export function groupOf({ path }: Pick<ApiRoute, 'path'>): string {
  const [, first] = /^\/v1\/([a-z-]+)/.exec(path) ?? [];
  return first === undefined ? 'system' : first.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

const wordsOf = (name: string): string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

const singularOf = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/(?<=xe|ss|ch)es$|(?<=x)es$|s$/, '');

/**
 * The name of a route's method: its operation without the noun of its group. `readAgent` of `agents` is `get`, and
 * `readApprovalDiff` of `approvals` is `getDiff`.
 */
export function methodOf(route: Pick<ApiRoute, 'path' | 'operationId'>): string {
  const group = groupOf(route);
  const [verb = '', ...rest] = wordsOf(route.operationId);
  const noun = NOUNS[group] ?? wordsOf(group).map(singularOf);
  const words = withoutNoun(rest, noun);
  return [VERBS[verb] ?? verb, ...words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)].join('');
}

/** The words without the noun, wherever it stands, in the singular or the plural. */
function withoutNoun(words: readonly string[], noun: readonly string[]): readonly string[] {
  if (noun.length === 0) return words;
  const at = words.findIndex((_word, place) =>
    noun.every((part, offset) => singularOf(words[place + offset] ?? '') === part),
  );
  return at < 0 ? words : [...words.slice(0, at), ...words.slice(at + noun.length)];
}
