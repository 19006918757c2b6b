// SPDX-License-Identifier: Apache-2.0
import type { Sandbox } from '../rules/sandbox.ts';
import type { Operation } from '../script/script.ts';
import type { StepContext } from '../run/step-context.ts';
import type { Argument } from './arguments.ts';

/** The strongest effect of a verb. */
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

/** Runs a verb. A StepError fails the step; its text is attacker-controlled, like the returned value. */
export type Run = (args: readonly string[], context: StepContext) => string | Promise<string>;

/** Why a verb can't work with its arguments. */
export interface ArgumentsFault {
  readonly place: number;
  readonly message: string;
}

/**
 * The fault of a verb's arguments that their kinds can't express, or null. It MUST depend on the arguments and the
 * sandbox alone: the compiler calls it where no argument holds `$PREV` or a capture, and the run for every step.
 */
export type CheckArguments = (args: readonly string[], sandbox: Sandbox) => ArgumentsFault | null;

/** A verb's row. `run` is null for verbs that the compiler expands into other operations. */
export interface Verb {
  readonly name: string;
  readonly group: VerbGroup;
  readonly effect: VerbEffect;
  readonly summary: string;
  readonly args: readonly Argument[];
  readonly min: number;
  readonly max: number;
  /** Arguments come in pairs. */
  readonly pairs: boolean;
  /** An example operation; `setUp` creates what it needs. */
  readonly example: { readonly setUp: readonly Operation[]; readonly operation: Operation };
  readonly check: CheckArguments | null;
  readonly run: Run | null;
}

export type VerbRow = Omit<Verb, 'run' | 'check'>;

interface Shape {
  /** Bounds, where the last argument repeats. */
  readonly most?: number;
  readonly pairs?: true;
  readonly setUp?: readonly Operation[];
  readonly check?: CheckArguments;
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
    { most, pairs, setUp = [], fields = {}, check }: Shape = {},
  ): Verb => ({
    name,
    group,
    effect,
    summary,
    args,
    run,
    check: check ?? null,
    pairs: pairs === true,
    min: args.filter((argument) => !argument.optional).length,
    max: most ?? args.length,
    example: { setUp, operation: { verb: name, args: example, ...fields } },
  });

/** The argument at an index, where the last one or the last two repeat. */
export function argumentAt({ args, pairs }: VerbRow, place: number): Argument | undefined {
  return pairs ? args[place % 2] : args[Math.min(place, args.length - 1)];
}

/** The number of a verb's arguments, as a text. */
export function arityOf({ min, max, pairs }: VerbRow): string {
  return `${min === max ? String(min) : `${min}–${max}`}${pairs ? ', in pairs' : ''}`;
}
