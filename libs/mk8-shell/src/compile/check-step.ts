// SPDX-License-Identifier: Apache-2.0
import { SCRIPT_LIMITS } from '../limits.ts';
import { problemAt, type Problem } from '../problem.ts';
import { argumentFault, type Access, type Argument } from '../registry/arguments.ts';
import { regexFault } from '../registry/expressions.ts';
import { argumentAt } from '../registry/verb.ts';
import { matchTemplate, type Match, type Word } from '../rules/match-template.ts';
import { accessFault } from '../rules/paths.ts';
import { blacklisted } from '../rules/rules.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { PredicateKind } from '../script/schema.ts';
import type { Flat, WrittenCondition } from './expand.ts';
import { pathFormFault, pathOf } from './path-text.ts';
import { fillIn, isKnown, type Text } from './text.ts';

/** The known part of an argument: all of it, or its literal parts. */
const knownTexts = (text: Text, sandbox: Sandbox): string[] =>
  isKnown(text) ? [fillIn(text, sandbox)] : text.flatMap((part) => ('text' in part ? [part.text] : []));

/** The blacklist's fault of a text, or null. */
export function blacklistFault({ rules }: Sandbox, text: string, scope: 'everywhere' | 'process'): string | null {
  const entry = blacklisted(rules, text, scope);
  return entry === null ? null : `is blacklisted (\`${entry.id}\`): it ${entry.reason}`;
}

/** The fault of a path as far as it is known, or null. */
export function pathFault(sandbox: Sandbox, text: Text, access: Access): string | null {
  const form = pathFormFault(text, sandbox);
  if (form !== null || !isKnown(text)) return form;
  const { path } = pathOf(text, sandbox);
  return path === null ? null : accessFault(sandbox.rules, path, access);
}

/** All faults of a step's arguments that can be found before it runs. */
export function argumentProblems(flat: Flat, args: readonly Text[], sandbox: Sandbox): Problem[] {
  const scope = flat.verb.effect === 'process' ? 'process' : 'everywhere';
  return args.flatMap((text, n) => {
    const argument = argumentAt(flat.verb, n);
    const faults = [
      ...knownTexts(text, sandbox).map((known) => blacklistFault(sandbox, known, scope)),
      argument === undefined
        ? null
        : argument.kind === 'path'
          ? pathFault(sandbox, text, argument.access)
          : valueFault(argument, text, sandbox),
      knownTexts(text, sandbox).join('').length > SCRIPT_LIMITS.argumentBytes
        ? `is longer than ${SCRIPT_LIMITS.argumentBytes} characters`
        : null,
    ];
    const first = faults.find((fault) => fault !== null);
    return first === undefined || first === null
      ? []
      : [problemAt(flat.argPointer(n), `${argument === undefined ? 'the argument' : `\`${argument.name}\``} ${first}`)];
  });
}

/** The fault of the arguments together, where all of them are known and right by themselves. */
export function checkProblems({ verb, argPointer }: Flat, args: readonly Text[], sandbox: Sandbox): Problem[] {
  if (verb.check === null || !args.every(isKnown)) return [];
  const fault = verb.check(
    args.map((text) => fillIn(text, sandbox)),
    sandbox,
  );
  return fault === null ? [] : [problemAt(argPointer(fault.place), fault.message)];
}

const valueFault = (argument: Argument, text: Text, sandbox: Sandbox): string | null =>
  isKnown(text) ? argumentFault(argument, fillIn(text, sandbox)) : null;

/** The faults of the fields of FileTemplate and FilePatch. Values and patches are literal, without variables. */
export function fieldProblems({ operation, pointer }: Flat, source: Text | null, sandbox: Sandbox): Problem[] {
  const reported = (at: string, fault: string | null): Problem[] =>
    fault === null ? [] : [problemAt(`${pointer}${at}`, fault)];
  const blacklist = (at: string, text: string): Problem[] => reported(at, blacklistFault(sandbox, text, 'everywhere'));
  const { template, patches = [] } = operation;
  return [
    ...(source === null ? [] : reported('/template/source', pathFault(sandbox, source, 'read'))),
    ...(source === null ? [] : knownTexts(source, sandbox).flatMap((known) => blacklist('/template/source', known))),
    ...Object.entries(template?.values ?? {}).flatMap(([key, value]) => [
      ...(/^[A-Za-z0-9_.-]{1,64}$/.test(key)
        ? []
        : reported(
            '/template/values',
            `the key \`${key.slice(0, 64)}\` must be of letters, digits, \`_\`, \`.\` and \`-\``,
          )),
      ...(value.includes('$') ? reported(`/template/values/${key}`, 'there can be no `$` in it') : []),
      ...blacklist(`/template/values/${key}`, value),
    ]),
    ...patches.flatMap(({ find, replace }, n) => [
      ...blacklist(`/patches/${n}/find`, find),
      ...blacklist(`/patches/${n}/replace`, replace),
    ]),
  ];
}

/** The template that a ProcRun fits as far as it is known. */
export function commandOf(
  flat: Flat,
  args: readonly Text[],
  sandbox: Sandbox,
): { readonly match: Match | null; readonly problems: readonly Problem[] } {
  const words = args.map((text): Word => (isKnown(text) ? fillIn(text, sandbox) : null));
  const { match, fault } = matchTemplate(sandbox.rules, words, (place, access) =>
    pathFault(sandbox, args[place] ?? [], access),
  );
  return { match, problems: fault === null ? [] : [problemAt(flat.argPointer(0), fault)] };
}

const PREDICATE_ARITY: Readonly<Record<PredicateKind, number>> = {
  PrevContains: 1,
  PrevEmpty: 0,
  PrevStartsWith: 1,
  PrevEndsWith: 1,
  PrevEquals: 1,
  PrevMatch: 1,
  PrevLineCount: 2,
  CaptureEmpty: 1,
  CaptureContains: 2,
  EnvEquals: 2,
  FileExists: 1,
  DirExists: 1,
};
export const LINE_COUNT_OPERATORS = ['eq', 'gt', 'lt', 'gte', 'lte'] as const;

/** The faults of an If's predicate. */
export function predicateProblems(
  { predicate: { kind }, pointer }: WrittenCondition,
  args: readonly Text[],
  sandbox: Sandbox,
  captures: ReadonlySet<string>,
): Problem[] {
  const reported = (at: string, message: string): Problem[] => [problemAt(`${pointer}${at}`, message)];
  if (args.length !== PREDICATE_ARITY[kind])
    return reported('/args', `${kind} takes ${PREDICATE_ARITY[kind]} arguments, and has ${args.length}`);
  const black = args.flatMap((text, n) =>
    knownTexts(text, sandbox).flatMap((known) => {
      const fault = blacklistFault(sandbox, known, 'everywhere');
      return fault === null ? [] : reported(`/args/${n}`, fault);
    }),
  );
  const [first = [], second = []] = args;
  const value = isKnown(first) ? fillIn(first, sandbox) : null;
  const fault = ((): readonly [number, string] | null => {
    switch (kind) {
      case 'FileExists':
      case 'DirExists':
        return at(0, pathFault(sandbox, first, 'read'));
      case 'PrevMatch':
        return value === null ? null : at(0, regexFault(value));
      case 'CaptureEmpty':
      case 'CaptureContains':
        return value !== null && captures.has(value.toUpperCase())
          ? null
          : [0, `no earlier operation captures \`${(value ?? '').slice(0, 64)}\``];
      case 'PrevLineCount':
        return lineCountFault(value, isKnown(second) ? fillIn(second, sandbox) : null);
      default:
        return null;
    }
  })();
  return [...black, ...(fault === null ? [] : reported(`/args/${fault[0]}`, fault[1]))];
}

const at = (place: number, fault: string | null): readonly [number, string] | null =>
  fault === null ? null : [place, fault];

function lineCountFault(operator: string | null, count: string | null): readonly [number, string] | null {
  const operators: readonly string[] = LINE_COUNT_OPERATORS;
  if (operator === null || !operators.includes(operator.toLowerCase()))
    return [0, `must be one of ${operators.join(', ')}`];
  return count !== null && /^[0-9]{1,9}$/.test(count) ? null : [1, 'must be a number of lines'];
}
