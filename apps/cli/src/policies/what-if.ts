// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { Backtest, OperationExplanation, type BacktestPage, type PolicyExplanation } from '@writ/contract';
import { Command } from 'commander';
import { EXIT } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { fieldsOf, tableOf } from '../terminal.ts';
import { checkPolicyFile, problemLines, readPolicyFile } from '../policy-file.ts';

type BacktestOptions = CommonOptions & { readonly since?: number; readonly limit: number };

/** Operations that one request looks at. */
const PAGE_ROWS = 100;
const OPERATIONS = 1_000;

/** The signed pages of one backtest: what `--json` writes and `verify-backtest` reads. */
export interface BacktestFile {
  readonly media_type: 'application/vnd.writ.backtest-file.v1+json';
  readonly pages: readonly Backtest['envelope'][];
}

export function backtestCommand(context: Context): Command {
  const command = new Command('backtest').description('which recorded decisions a set would change; --json gives the signed answer').argument('<file>')
    .option('--since <period>', 'how far back, as 12h or 7d', (text: string) => parsePeriod('--since', text)).option('--limit <n>', 'operations to look at', parseCount, OPERATIONS);
  return command.action(async (path: string) => {
    const options = command.optsWithGlobals<BacktestOptions>();
    const file = readPolicyFile(resolve(context.cwd, path));
    const { set, problems } = checkPolicyFile(file);
    if (set === null) {
      for (const problem of problems) context.complain(`${problemLines(file, problem)}\n`);
      context.setExit(EXIT.failed);
      return;
    }
    const { client } = connect(context, options, 'admin');
    const since = options.since === undefined ? 0 : Date.now() - options.since;
    const pages: Backtest[] = [];
    let [cursor, left]: [string | null, number] = [null, options.limit];
    do {
      const body = { document: file.document, since, ...(cursor === null ? {} : { cursor }), limit: Math.min(PAGE_ROWS, left) };
      const page: Backtest = await client.read(Backtest, '/v1/policies/backtest', { method: 'POST', body });
      pages.push(page);
      [cursor, left] = [page.page.next_cursor, left - page.page.examined];
      context.complain(`${options.limit - left} operations looked at\n`);
    } while (cursor !== null && left > 0);
    const signed: BacktestFile = { media_type: 'application/vnd.writ.backtest-file.v1+json', pages: pages.map(({ envelope }) => envelope) };
    show(context, options, signed, () => describeBacktest(pages.map(({ page }) => page)));
  });
}

/** What the pages say together. */
export function describeBacktest(pages: readonly BacktestPage[]): string {
  const sum = (of: (page: BacktestPage) => number): number => pages.reduce((all, page) => all + of(page), 0);
  const counts = new Map<string, number>();
  for (const { from, to, tool_id, count } of pages.flatMap(({ changes }) => changes)) {
    const key = JSON.stringify([`${from} → ${to}`, tool_id]);
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  const examples = pages.flatMap((page) => page.examples).slice(0, 20);
  return [
    fieldsOf({
      candidate: pages[0]?.candidate.name, hash: pages[0]?.candidate.policy_hash, 'looked at': sum(({ examined }) => examined), 'not comparable': sum(({ skipped }) => skipped),
      'decided otherwise': sum(({ changed }) => changed), 'more left': pages.at(-1)?.next_cursor === null ? null : 'yes',
    }),
    ...(counts.size === 0 ? [] : [tableOf(['decision', 'tool', 'calls'], [...counts].map(([key, count]) => [...JSON.parse(key) as string[], String(count)]))]),
    ...(examples.length === 0 ? [] : [tableOf(['operation', 'tool', 'decision', 'rules'], examples.map((each) => [each.operation_id, each.tool_id, `${each.from} → ${each.to}`, each.rule_ids.join(', ')]))]),
  ].join('\n\n');
}

export function explainCommand(context: Context): Command {
  const command = new Command('explain').description('why a call was decided as it was, and whether the set in force decides alike').argument('<operation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const told = await connect(context, options, 'admin').client.read(OperationExplanation, `/v1/operations/${encodeURIComponent(id)}/explain`);
    show(context, options, told, () => fieldsOf({
      operation: told.operation_id, 'decided under': told.policy_hash, 'not asked': told.why_not,
      then: told.then === null ? null : wordsOf(told.then), now: told.now === null || told.alike === true ? null : wordsOf(told.now),
      alike: told.alike === null ? null : told.alike ? 'the set in force decides the same' : 'the set in force decides otherwise',
    }));
  });
}

const wordsOf = ({ policy, mode, decided, reasons, would_pass, better_with }: PolicyExplanation): string => [
  `${mode} by ${policy.name}${policy.enforcement === 'observe' ? ` (observed only; it decides ${decided})` : ''}`,
  ...reasons.map(({ code, message }) => `${code}: ${message}`),
  ...would_pass.map((words) => `would pass: ${words}`),
  ...better_with.map((each) => `with ${each.with}: ${each.mode}`),
].join('\n');
