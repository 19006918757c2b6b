// SPDX-License-Identifier: Apache-2.0
// Facts about the sandbox: known before anything runs, and the same for every step.
import { SCRIPT_LIMITS } from '../limits.ts';
import { reference } from '../registry/reference.ts';
import { optional, text } from '../registry/arguments.ts';
import { arityOf, verbsOf, type CheckArguments, type Verb } from '../registry/verb.ts';
import { commandOf } from '../rules/match-template.ts';
import { isReadableVariable } from '../rules/rules.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { listed } from './lines.ts';

const verb = verbsOf('introspection');

const blacklist = ({ rules: { set } }: Sandbox): string =>
  listed(
    set.blacklist.map(({ id, kind, pattern, scope, reason }) => `${id} (${kind}, ${scope}): ${pattern}: ${reason}`),
  );

const vocabularies = ({ rules: { set } }: Sandbox): string =>
  listed(set.words.map(({ name, summary }) => `${name}: ${summary}`));

const templates = ({ rules: { set } }: Sandbox): string =>
  listed(set.templates.map((row) => `${row.id}: ${commandOf(row)}: ${row.summary}`));

const variables = ({ env, rules }: Sandbox): string =>
  listed(
    [...env]
      .filter(([name]) => isReadableVariable(rules, name, true))
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );

const unknownList: CheckArguments = ([name = ''], { rules: { words } }) =>
  words.has(name) ? null : { place: 0, message: `there is no list \`${name.slice(0, 64)}\`; Mk8VocabList names them` };

/** Parts of a command with free text of the author. */
function freeText(program: string | undefined, { rules: { set } }: Sandbox): string {
  const rows = set.templates.filter(
    ({ binary, parts }) =>
      (program === undefined || binary === program) &&
      parts.some((part) => typeof part !== 'string' && part.slot === 'text'),
  );
  return rows.length === 0
    ? 'none'
    : listed(rows.map((row) => `${row.id}: ${commandOf(row)} (200 characters at most)`));
}

const info = ({ id, root, cwd, user, rules: { set }, fragments, skills }: Sandbox): string =>
  listed([
    `sandbox: ${id}`,
    `workspace: ${root}`,
    `working directory: ${cwd === '' ? root : `${root}/${cwd}`}`,
    `user: ${user}`,
    `templates: ${set.templates.length}`,
    `blacklist: ${set.blacklist.length}`,
    `fragments: ${fragments.size === 0 ? 'none' : [...fragments.keys()].sort().join(', ')}`,
    `skills: ${skills.length}`,
    `limits: ${SCRIPT_LIMITS.operations} operations, ${SCRIPT_LIMITS.captures} captures, ${SCRIPT_LIMITS.nesting} deep, ${SCRIPT_LIMITS.forEachItems} items of a ForEach, ${SCRIPT_LIMITS.batchEntries} entries of a batch`,
  ]);

/** `verbs` is called when a step runs, since this file is a part of its result. */
export const introspectionVerbs = (verbs: () => Iterable<Verb>): readonly Verb[] => [
  verb('Mk8Blacklist', 'none', 'what no argument may hold', [], [], (_, { sandbox }) => blacklist(sandbox)),
  verb(
    'Mk8Vocab',
    'none',
    'the words of a list',
    [text('list')],
    ['npm-scripts'],
    ([name = ''], { sandbox: { rules } }) => listed(rules.words.get(name) ?? []),
    { check: unknownList },
  ),
  verb('Mk8VocabList', 'none', 'the lists of words', [], [], (_, { sandbox }) => vocabularies(sandbox)),
  verb(
    'Mk8FreeText',
    'none',
    'commands that take free text, of one program or all',
    [optional(text('program'))],
    ['git'],
    ([program], { sandbox }) => freeText(program, sandbox),
  ),
  verb('Mk8Env', 'none', 'the signed variables that may be read', [], [], (_, { sandbox }) => variables(sandbox)),
  verb('Mk8Info', 'none', 'the sandbox and its limits', [], [], (_, { sandbox }) => info(sandbox)),
  verb('Mk8Templates', 'none', 'commands that ProcRun runs', [], [], (_, { sandbox }) => templates(sandbox)),
  verb('Mk8Verbs', 'none', 'all verbs and how many arguments they take', [], [], () =>
    listed([...verbs()].map((one) => `${one.name} (${arityOf(one)}): ${one.summary}`)),
  ),
  verb('Mk8Skills', 'none', "the tenant's skills, with what each is for", [], [], (_, { sandbox: { skills } }) =>
    skills.length === 0 ? 'none' : listed(skills.map(({ name, summary }) => `${name}: ${summary}`)),
  ),
  verb('Mk8Docs', 'none', 'the reference', [], [], () => reference([...verbs()])),
];
