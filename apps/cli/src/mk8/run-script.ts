// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { isFinal, MK8_RUN, OperationView, type ToolResult } from '@writ/contract';
import type { ForeseenScript, RanReport, StepReport } from '@writ/mk8-shell';
import type { Command } from 'commander';
import { isResult, parseAnswer, tellAnswer } from '../call-answer.ts';
import type { CommonOptions, Context } from '../context.ts';
import { describeResult } from '../describe-result.ts';
import { connect } from '../http/connection.ts';
import { proposalOf, type ProposalOptions } from '../proposed-call.ts';
import { fieldsOf, tableOf } from '../terminal.ts';
import { visible } from '../visible.ts';
import { effectFields } from './explain.ts';

export interface RunOptions extends CommonOptions, ProposalOptions {
  readonly sandbox?: string;
  readonly key?: string;
}

/** What the API waits in one answer, in seconds; a script may take longer, and is then asked for again. */
const WAIT_S = 55;

/** Adds the options of `writ mk8 run`. */
export const withRunOptions = (command: Command): Command =>
  command
    .option('--workspace <id>', 'the workspace it works on')
    .option('--token <id>', 'the capability token it is made with')
    .option('--agent <id>', 'the agent on whose behalf it is made')
    .option('--sandbox <name>', 'a sandbox that an administrator registered')
    .option('--key <text>', 'idempotency key: the same one again gives the first outcome; made up unless given')
    .option('--dry-run', 'say what would be decided and what the script would touch, and run nothing');

/**
 * Runs the text of a script as a call of `mk8.run`, and waits for its end. Exit status 1 where it fails or is refused.
 */
export async function runScript(context: Context, text: string, options: RunOptions): Promise<void> {
  const { client, defaults } = connect(context, options, 'agent');
  const body = {
    ...proposalOf(options, defaults),
    tool_id: MK8_RUN.tool_id,
    args: { script: text, ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }) },
    idempotency_key: options.key ?? `cli-${randomUUID()}`,
  };
  const ask = async (): Promise<unknown> =>
    (await client.ask('/v1/tool-calls', { method: 'POST', body, headers: { prefer: `wait=${WAIT_S}` } })).json();
  let answer = await ask();
  // The same key gives the same call, waited for once more.
  while (isUnderWay(answer)) answer = await ask();
  tellAnswer(context, options, answer, describeRun);
}

function isUnderWay(value: unknown): boolean {
  if (isResult(value)) return false;
  const { state } = parseAnswer(OperationView, value);
  return state !== 'held' && !isFinal(state);
}

const describeRun = (result: ToolResult): string =>
  [
    isForeseen(result.result) ? foreseenIn(result.result) : stepsOf(result.result),
    describeResult({ ...result, result: null }),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

const isForeseen = (report: unknown): report is ForeseenScript =>
  typeof report === 'object' && report !== null && 'status' in report && report.status === 'dry_run';

/** What a dry run found. */
function foreseenIn(report: ForeseenScript): string {
  const {
    sandbox: { name, digest },
    steps,
    cleanup,
    omitted,
  } = report;
  return fieldsOf({
    ...effectFields(report),
    sandbox: digest === null ? name : `${name} (${digest})`,
    steps,
    cleanup: cleanup === 0 ? null : cleanup,
    'not shown': omitted === 0 ? null : omitted,
  });
}

/** Each step with how it ended, and below it what it said. */
function stepsOf(report: unknown): string {
  if (typeof report !== 'object' || report === null || !('steps' in report)) return '';
  const { steps, cleanup, omitted_steps } = report as RanReport;
  const part = (title: string, rows: readonly StepReport[]): string[] =>
    rows.length === 0
      ? []
      : [
          tableOf(
            [title, 'verb', 'status', 'attempts', 'ms', 'says'],
            rows.map((row, n) => [
              String(n + 1),
              row.verb,
              row.status,
              String(row.attempts),
              String(row.duration_ms),
              saidBy(row),
            ]),
          ),
        ];
  return [
    ...part('step', steps),
    ...part('cleanup', cleanup),
    ...(omitted_steps === 0 ? [] : [`${omitted_steps} more steps are not shown`]),
  ].join('\n\n');
}

/** In a table there is room for one line; `--json` has all of it. */
const LINE_CHARS = 100;

function saidBy({ output, error }: StepReport): string {
  const [line = '', ...more] = visible(error ?? output)
    .trim()
    .split('\n');
  return line.length > LINE_CHARS || more.length > 0 ? `${line.slice(0, LINE_CHARS)}…` : line;
}
