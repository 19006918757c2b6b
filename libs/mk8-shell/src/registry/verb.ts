// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '../script/script.ts';
import type { StepContext } from '../run/step-context.ts';
import type { Argument } from './arguments.ts';

/** What a verb may do to the world at most. */
export type VerbEffect = 'none' | 'reads' | 'writes' | 'network' | 'process';

export const VERB_GROUPS = [
  'files',
  'inspection',
  'edits',
  'batch',
  'directories',
  'process',
  'http',
  'text',
  'json',
  'environment',
  'system',
  'network',
  'paths',
  'identity',
  'time',
  'versions',
  'encoding',
  'formatting',
  'archives',
  'math',
  'clipboard',
  'urls',
  'control',
  'flow',
  'composition',
  'introspection',
] as const;
export type VerbGroup = (typeof VERB_GROUPS)[number];

/** Carries a verb out. A throw of StepError fails the step; its text is attacker-controlled, like what is returned. */
export type Run = (args: readonly string[], context: StepContext) => string | Promise<string>;

/** A verb's row. `run` is null for what the compiler expands into other operations. */
export interface Verb {
  readonly name: string;
  readonly group: VerbGroup;
  readonly effect: VerbEffect;
  readonly summary: string;
  readonly args: readonly Argument[];
  readonly min: number;
  readonly max: number;
  /** Arguments come two and two. */
  readonly pairs: boolean;
  /** An operation that shows it; `setUp` before it makes what it needs. */
  readonly example: { readonly setUp: readonly Operation[]; readonly operation: Operation };
  readonly run: Run | null;
}

export type VerbRow = Omit<Verb, 'run'>;

interface Shape {
  /** Bounds, where the last argument repeats. */
  readonly most?: number;
  readonly pairs?: true;
  readonly setUp?: readonly Operation[];
  /** Fields of the example beside verb and arguments. */
  readonly fields?: Omit<Operation, 'verb' | 'args'>;
}

/** Makes the rows of one group. */
export const verbsOf =
  (group: VerbGroup) =>
  (
    name: string,
    effect: VerbEffect,
    summary: string,
    args: readonly Argument[],
    example: readonly string[],
    run: Run | null,
    { most, pairs, setUp = [], fields = {} }: Shape = {},
  ): Verb => ({
    name,
    group,
    effect,
    summary,
    args,
    run,
    pairs: pairs === true,
    min: args.filter((argument) => !argument.optional).length,
    max: most ?? args.length,
    example: { setUp, operation: { verb: name, args: example, ...fields } },
  });

/** The argument at a place, where the last one or the last two repeat. */
export function argumentAt({ args, pairs }: VerbRow, place: number): Argument | undefined {
  return pairs ? args[place % 2] : args[Math.min(place, args.length - 1)];
}

/** How many arguments a verb takes, in words. */
export function arityOf({ min, max, pairs }: VerbRow): string {
  return `${min === max ? String(min) : `${min}–${max}`}${pairs ? ', in pairs' : ''}`;
}
