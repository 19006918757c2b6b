// SPDX-License-Identifier: Apache-2.0
import type { Condition } from '../compile/program.ts';
import { pathOf } from '../compile/path-text.ts';
import { fillIn, type Values } from '../compile/text.ts';
import { blacklistFault } from '../compile/check-step.ts';
import { regexFault } from '../registry/expressions.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { linesOf } from '../verbs/lines.ts';
import { finder } from '../verbs/regex.ts';
import type { GuardedFiles } from './guarded-files.ts';
import { refused } from './step-error.ts';

interface World {
  readonly sandbox: Sandbox;
  readonly files: GuardedFiles;
  readonly values: Values;
  readonly checkRegexTime: () => void;
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  gt: (a, b) => a > b,
  lt: (a, b) => a < b,
  gte: (a, b) => a >= b,
  lte: (a, b) => a <= b,
};

/**
 * Evaluates the predicate of an If, without regard to case.
 * @throws StepError for a filled-in value that a rule forbids
 */
export async function holds({ kind, args }: Condition, world: World): Promise<boolean> {
  const { sandbox, files, values, checkRegexTime } = world;
  const [first = '', second = ''] = args.map((text) => fillIn(text, sandbox, values));
  for (const value of [first, second]) {
    const fault = blacklistFault(sandbox, value, 'everywhere');
    if (fault !== null) throw refused(`what If asks ${fault}`);
  }
  const [prev, one, two] = [values.prev, first, second].map((text) => text.toLowerCase()) as [string, string, string];
  const capture = (name: string): string => (values.captures.get(name.toUpperCase()) ?? '').toLowerCase();
  switch (kind) {
    case 'PrevContains':
      return prev.includes(one);
    case 'PrevEmpty':
      return prev.trim() === '';
    case 'PrevStartsWith':
      return prev.startsWith(one);
    case 'PrevEndsWith':
      return prev.trimEnd().endsWith(one);
    case 'PrevEquals':
      return prev.trim() === one.trim();
    case 'PrevMatch':
      return matches(first, values.prev, checkRegexTime);
    case 'PrevLineCount':
      return COMPARE[one]?.(linesOf(values.prev).length, Number(second)) ?? false;
    case 'CaptureEmpty':
      return capture(first) === '';
    case 'CaptureContains':
      return capture(first).includes(two);
    case 'EnvEquals':
      return (sandbox.env.get(first.toUpperCase()) ?? '').toLowerCase() === two;
    case 'FileExists':
    case 'DirExists': {
      const { path, fault } = pathOf(args[0] ?? [], sandbox, values);
      if (path === null) throw refused(`the path of ${kind} ${fault}`);
      return (await files.stat(path))?.kind === (kind === 'FileExists' ? 'file' : 'directory');
    }
  }
}

function matches(pattern: string, text: string, checkTime: () => void): boolean {
  const fault = regexFault(pattern);
  if (fault !== null) throw refused(`what PrevMatch asks ${fault}`);
  return finder(pattern, checkTime, 'any case')(text);
}
