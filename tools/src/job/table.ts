// SPDX-License-Identifier: Apache-2.0
import Table from 'cli-table3';
import pc from 'picocolors';
import type { Expectation, JobCall, JobResult } from './result.ts';

type Paint = (text: string) => string;

const OUTCOMES: Readonly<Record<string, readonly [string, Paint]>> = {
  committed: ['committed', pc.green],
  no_op: ['nothing to commit', pc.green],
  rolled_back: ['rolled back', pc.yellow],
  refused: ['did not run', pc.yellow],
  ambiguous: ['ambiguous', pc.red],
};

const DECISIONS: Readonly<Record<JobCall['decision'], Paint>> = {
  admitted: pc.green,
  refused: pc.red,
  'held, denied': pc.magenta,
  'held, approved': pc.magenta,
  repeated: pc.cyan,
};

const outcomeOf = ({ state, tx_outcome, code, decision }: JobCall): string => {
  if (decision === 'repeated') return pc.cyan('the first outcome');
  if (decision === 'held, denied') return pc.yellow('did not run');
  const [words, paint] = OUTCOMES[state] ?? [tx_outcome ?? state, pc.cyan];
  return code === null || state === 'refused' ? paint(words) : `${paint(words)} ${pc.dim(code)}`;
};

const decisionOf = ({ decision, code }: JobCall): string => {
  const paint = DECISIONS[decision];
  return decision === 'refused' && code !== null ? `${paint(decision)} ${pc.dim(code)}` : paint(decision);
};

const timeOf = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

const rowOf = (call: JobCall): string[] => [
  String(call.n),
  call.by === 'job' ? pc.dim(call.what) : call.what,
  decisionOf(call),
  outcomeOf(call),
  timeOf(call.ms),
  call.verified ? pc.green('✔') : pc.red('✖'),
];

const lineOf = ({ what, met, found }: Expectation): string =>
  `  ${met ? pc.green('✔') : pc.red('✖')} ${what}${found === '' ? '' : pc.dim(` (${found})`)}`;

/** A recorded run must be recognisable as one. */
const driverOf = (model: string): string =>
  model.startsWith('transcript:')
    ? `no model: a transcript drove it, which ships with the example (${model}); set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY for a model`
    : `${model} drove it`;

/** A run for people: its calls as a table, then the expectations. */
export function renderJob({ ok, model, calls, expectations }: JobResult): string {
  const table = new Table({
    head: ['#', 'what the agent did', 'decision', 'outcome', 'time', 'receipt'].map((text) => pc.bold(text)),
    // Only our own colours: the library's don't respect NO_COLOR.
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    colAligns: ['right', 'left', 'left', 'left', 'right', 'center'],
  });
  for (const call of calls) table.push(rowOf(call));
  const verdict = ok ? pc.green('✔ all went as it should') : pc.red('✖ something did not go as it should');
  return [table.toString(), pc.dim(driverOf(model)), '', ...expectations.map(lineOf), '', verdict].join('\n');
}
