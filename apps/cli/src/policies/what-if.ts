// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import {
  Backtest,
  OperationExplanation,
  type BacktestEffects,
  type BacktestPage,
  type PolicyExplanation,
} from '@writ/contract';
import { Command } from 'commander';
import { EXIT } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { fieldsOf, tableOf } from '../terminal.ts';
import { checkPolicyFile, problemLines, readPolicyFile } from '../policy-file.ts';

type BacktestOptions = CommonOptions & { readonly since?: number; readonly limit: number };

/** Operations that one request examines. */
const PAGE_ROWS = 100;
const OPERATIONS = 1_000;

/** The signed pages of one backtest: `--json` writes them and `verify-backtest` reads them. */
export interface BacktestFile {
  readonly media_type: 'application/vnd.writ.backtest-file.v1+json';
  readonly pages: readonly Backtest['envelope'][];
}

export function backtestCommand(context: Context): Command {
  const command = new Command('backtest')
    .argument('<file>')
    .description('the decisions on calls and effects that a set would change; --json prints the signed answer')
    .option('--since <period>', 'how far back, such as 12h or 7d', (text: string) => parsePeriod('--since', text))
    .option('--limit <n>', 'maximum operations to examine', parseCount, OPERATIONS);
  return command.action(async (path: string) => {
    const options = command.optsWithGlobals<BacktestOptions>();
    const file = readPolicyFile(resolve(context.cwd, path));
    const { set, problems } = checkPolicyFile(file);
    if (set === null) {
      for (const problem of problems) context.writeError(`${problemLines(file, problem)}\n`);
      context.setExit(EXIT.failed);
      return;
    }
    const { client } = connect(context, options, 'admin');
    const since = options.since === undefined ? 0 : Date.now() - options.since;
    const pages: Backtest[] = [];
    let [cursor, left]: [string | null, number] = [null, options.limit];
    do {
      const place = { since, ...(cursor === null ? {} : { cursor }), limit: Math.min(PAGE_ROWS, left) };
      const body = { document: file.document, effects: true, ...place };
      const page: Backtest = await client.read(Backtest, '/v1/policies/backtest', { method: 'POST', body });
      pages.push(page);
      [cursor, left] = [page.page.next_cursor, left - page.page.examined];
      context.writeError(`${options.limit - left} operations looked at\n`);
    } while (cursor !== null && left > 0);
    const signed: BacktestFile = {
      media_type: 'application/vnd.writ.backtest-file.v1+json',
      pages: pages.map(({ envelope }) => envelope),
    };
    show(context, options, signed, () => describeBacktest(pages.map(({ page }) => page)));
  });
}

/** The width of an effect's summary in a table. */
const HEADLINE_CHARS_MAX = 100;
const EXAMPLES_SHOWN = 20;
const EFFECT_COLUMNS = ['operation', 'tool', 'effect', 'findings', 'what it does'];
type ChangeCount = BacktestPage['changes'][number];

/** The pages as one summary. */
export function describeBacktest(pages: readonly BacktestPage[]): string {
  const sum = (of: (page: BacktestPage) => number): number => pages.reduce((all, page) => all + of(page), 0);
  const examples = pages.flatMap((page) => page.examples).slice(0, EXAMPLES_SHOWN);
  const effects = pages.flatMap((page) => page.effects ?? []);
  return [
    fieldsOf({
      candidate: pages[0]?.candidate.name,
      hash: pages[0]?.candidate.policy_hash,
      'looked at': sum(({ examined }) => examined),
      'not comparable': sum(({ skipped }) => skipped),
      'decided otherwise': sum(({ changed }) => changed),
      'redacted otherwise': sum(({ redactions }) => redactions?.changed ?? 0) || null,
      'more left': pages.at(-1)?.next_cursor === null ? null : 'yes',
    }),
    ...countsTable(
      'decision',
      pages.flatMap(({ changes }) => changes),
    ),
    ...(examples.length === 0
      ? []
      : [
          tableOf(
            ['operation', 'tool', 'decision', 'rules'],
            examples.map((each) => [
              each.operation_id,
              each.tool_id,
              `${each.from} → ${each.to}`,
              each.rule_ids.join(', '),
            ]),
          ),
        ]),
    ...(effects.length === 0 ? [] : describeEffects(effects)),
  ].join('\n\n');
}

/** The summary of effects that calls committed. */
function describeEffects(pages: readonly BacktestEffects[]): string[] {
  const sum = (of: (page: BacktestEffects) => number): number => pages.reduce((all, page) => all + of(page), 0);
  const skips = new Map<string, number>();
  for (const { why, count } of pages.flatMap(({ skipped_for }) => skipped_for)) {
    skips.set(why, (skips.get(why) ?? 0) + count);
  }
  const reasons = [...skips].map(([why, count]) => `${count} ${why}`);
  const alone = sum(({ without_series }) => without_series);
  const examples = pages.flatMap((page) => page.examples).slice(0, EXAMPLES_SHOWN);
  return [
    fieldsOf({
      'effects judged': sum(({ judged }) => judged),
      'not judged': reasons.length === 0 ? null : reasons.join(', '),
      'without their series': alone === 0 ? null : alone,
      'effects otherwise': sum(({ changed }) => changed),
    }),
    ...countsTable(
      'effect',
      pages.flatMap(({ changes }) => changes),
    ),
    ...(examples.length === 0 ? [] : [tableOf(EFFECT_COLUMNS, examples.map(effectRow))]),
  ];
}

type EffectExample = BacktestEffects['examples'][number];

function effectRow({ operation_id, tool_id, from, to, findings, findings_then, headline }: EffectExample): string[] {
  const found = findings.length > 0 ? findings : findings_then;
  const short = headline.slice(0, HEADLINE_CHARS_MAX).toWellFormed();
  return [operation_id, tool_id, `${from} → ${to}`, found.join(', '), short === headline ? short : `${short}…`];
}

/** Decisions that change in the same way, with their counts; empty where none changes. */
function countsTable(what: string, changes: readonly ChangeCount[]): string[] {
  const counts = new Map<string, number>();
  for (const { from, to, tool_id, count } of changes) {
    const key = JSON.stringify([`${from} → ${to}`, tool_id]);
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  if (counts.size === 0) return [];
  const rows = [...counts].map(([key, count]) => [...(JSON.parse(key) as string[]), String(count)]);
  return [tableOf([what, 'tool', 'calls'], rows)];
}

export function explainCommand(context: Context): Command {
  const command = new Command('explain')
    .description('the reasons of a decision, and whether the set in force decides the same')
    .argument('<operation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const explanation = await connect(context, options, 'admin').client.read(
      OperationExplanation,
      `/v1/operations/${encodeURIComponent(id)}/explain`,
    );
    show(context, options, explanation, () =>
      fieldsOf({
        operation: explanation.operation_id,
        'decided under': explanation.policy_hash,
        'not asked': explanation.why_not,
        then: explanation.then === null ? null : textOf(explanation.then),
        now: explanation.now === null || explanation.alike === true ? null : textOf(explanation.now),
        alike:
          explanation.alike === null
            ? null
            : explanation.alike
              ? 'the set in force decides the same'
              : 'the set in force decides otherwise',
      }),
    );
  });
}

const textOf = ({ policy, mode, decided, reasons, would_pass, better_with }: PolicyExplanation): string =>
  [
    `${mode} by ${policy.name}${policy.enforcement === 'observe' ? ` (observed only; it decides ${decided})` : ''}`,
    ...reasons.map(({ code, message }) => `${code}: ${message}`),
    ...would_pass.map((words) => `would pass: ${words}`),
    ...better_with.map((each) => `with ${each.with}: ${each.mode}`),
  ].join('\n');
