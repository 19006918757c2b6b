// SPDX-License-Identifier: Apache-2.0
import { describeText, type Effects, type Program, type Step } from '@writ/mk8-shell';
import { fieldsOf, tableOf } from '../terminal.ts';

/** Longer arguments are usually file contents; the script itself has them. */
const SHOWN_CHARS = 60;
const MS = 1000;

/** A step as data: the verb, its source, and its conditions. */
export interface ExplainedStep {
  readonly verb: string;
  readonly pointer: string;
  readonly args: readonly string[];
  readonly conditions: readonly string[];
  readonly label: string | null;
  readonly goto: number | null;
  readonly capture_as: string | null;
  readonly attempts: number;
  readonly timeout_ms: number;
}

const explainStep = ({
  verb,
  pointer,
  args,
  conditions,
  label,
  goto,
  captureAs,
  attempts,
  timeoutMs,
}: Step): ExplainedStep => ({
  verb: verb.name,
  pointer,
  args: args.map(describeText),
  conditions: conditions.map(({ kind, args: asked }) => [kind, ...asked.map(describeText)].join(' ')),
  label,
  goto,
  capture_as: captureAs,
  attempts,
  timeout_ms: timeoutMs,
});

/** A program as data. */
export const explain = ({
  steps,
  cleanup,
  options,
  effects,
}: Program): { steps: ExplainedStep[]; cleanup: ExplainedStep[]; options: Program['options']; effects: Effects } => ({
  steps: steps.map(explainStep),
  cleanup: cleanup.map(explainStep),
  options,
  effects,
});

const truncate = (text: string): string => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
const whenOf = ({ conditions, label, goto, capture_as, attempts, timeout_ms }: ExplainedStep): string =>
  [
    ...conditions.map((condition) => `if ${truncate(condition)}`),
    ...(label === null ? [] : [`label ${label}`]),
    ...(goto === null ? [] : [`on failure step ${goto + 1}`]),
    ...(capture_as === null ? [] : [`captured as ${capture_as}`]),
    ...(attempts === 1 ? [] : [`${attempts} attempts`]),
    `${timeout_ms / MS} s`,
  ].join(', ');

const stepsTable = (steps: readonly ExplainedStep[]): string =>
  tableOf(
    ['step', 'verb', 'arguments', 'how', 'from'],
    steps.map((step, n) => [
      String(n + 1),
      step.verb,
      step.args.map((arg) => truncate(JSON.stringify(arg))).join(' '),
      whenOf(step),
      step.pointer,
    ]),
  );

/** The effects of a script, by kind of target. */
export function effectFields({
  category,
  reads,
  writes,
  deletes,
  hosts,
  templates,
  open,
}: Pick<Effects, 'category' | 'reads' | 'writes' | 'deletes' | 'hosts' | 'templates' | 'open'>): Record<
  string,
  string
> {
  const listed = (names: readonly string[]): string =>
    names.map((name) => (name === '' ? '$WORKSPACE' : name)).join('\n');
  return {
    category,
    reads: listed(reads),
    writes: listed(writes),
    deletes: listed(deletes),
    hosts: listed(hosts),
    commands: listed(templates),
    'known when it runs': open.join('\n'),
  };
}

/** A program as text. */
export function explainAsText(program: Program): string {
  const { steps, cleanup, effects } = explain(program);
  const fields = fieldsOf({
    ...effectFields(effects),
    'on failure': program.options.failureMode,
    'in all': `${program.options.scriptTimeoutMs / MS} s`,
  });
  return [stepsTable(steps), ...(cleanup.length === 0 ? [] : [`cleanup\n${stepsTable(cleanup)}`]), fields].join('\n\n');
}
