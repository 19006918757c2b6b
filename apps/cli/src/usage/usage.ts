// SPDX-License-Identifier: Apache-2.0
import { Command, Option } from 'commander';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { tableOf } from '../terminal.ts';

interface UsageOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
}

const Count = Type.Integer({ minimum: 0 });
const text = Type.Union([Type.String(), Type.Null()]);
/** The fields of `/v1/usage` that are shown. */
const Usage = Type.Object({
  from: Count,
  to: Count,
  by: Type.String(),
  items: Type.Array(
    Type.Object({
      of: text,
      model: Type.String(),
      runs: Count,
      input_tokens: Count,
      cached_tokens: Count,
      output_tokens: Count,
      cost: Count,
      currency: text,
    }),
  ),
});

const MILLION = 1_000_000;
const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** `writ usage`: tokens and costs of agents' runs; `writ usage calls`: calls by day. */
export function usageCommand(context: Context): Command {
  const command = new Command('usage')
    .option('--from <when>', 'a day or a moment such as 2026-01-31T09:30:00Z, or a period before now such as 7d')
    .option('--to <when>', 'the end of the range, exclusive; likewise')
    .addOption(
      new Option('--by <what>', 'the dimension of the sums, beside models')
        .choices(['model', 'session', 'agent', 'day'])
        .default('model'),
    )
    .addCommand(callsCommand(context));
  return command.action(async () => {
    const { from, to, by, ...options } = command.optsWithGlobals<UsageOptions>();
    const query = new URLSearchParams({
      by,
      ...(from === undefined ? {} : { from: momentOf('--from', from) }),
      ...(to === undefined ? {} : { to: momentOf('--to', to) }),
    });
    const report = await connect(context, options, 'operator').client.read(Usage, `/v1/usage?${query.toString()}`);
    show(context, options, report, () => describeUsage(report));
  });
}

interface CallsOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** The fields of `/v1/usage/calls` that are shown. */
const CallUsage = Type.Object({
  by: Type.Array(Type.String()),
  items: Type.Array(
    Type.Object({
      day: text,
      agent_id: text,
      person: text,
      api_key_id: text,
      tool_id: text,
      outcome: text,
      calls: Count,
    }),
  ),
  next_cursor: text,
});
type CallUsage = Static<typeof CallUsage>;

/** The member of a row that has the value of a dimension. */
const MEMBERS = {
  day: 'day',
  agent: 'agent_id',
  person: 'person',
  key: 'api_key_id',
  tool: 'tool_id',
  outcome: 'outcome',
} as const satisfies Readonly<Record<string, keyof CallUsage['items'][number]>>;

function callsCommand(context: Context): Command {
  const command = new Command('calls')
    .description('how many calls there were, by day and other dimensions')
    .option('--from <day>', 'the first day in UTC, such as 2026-01-31; 30 days before --to by default')
    .option('--to <day>', 'the day after the last one; tomorrow by default')
    .option('--by <dimensions>', `of ${Object.keys(MEMBERS).join(', ')}, separated by commas`, 'day')
    .option('--limit <n>', 'rows per page', parseCount)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const { from, to, by, limit, cursor, ...options } = command.optsWithGlobals<CallsOptions>();
    const asked = { from, to, by, limit: limit?.toString(), cursor };
    const query = new URLSearchParams(
      Object.entries(asked).flatMap<[string, string]>(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const { client } = connect(context, options, 'operator');
    const report = await client.read(CallUsage, `/v1/usage/calls?${query.toString()}`);
    show(context, options, report, () => describeCalls(report));
  });
}

function describeCalls({ by, items, next_cursor }: CallUsage): string {
  const members = by.flatMap((name) => (name in MEMBERS ? [MEMBERS[name as keyof typeof MEMBERS]] : []));
  const rows = items.map((row) => [...members.map((member) => row[member] ?? ''), String(row.calls)]);
  const more = next_cursor === null ? '' : `\nmore: --cursor ${next_cursor}`;
  return `${tableOf([...by, 'calls'], rows)}${more}`;
}

function describeUsage({ by, items }: Static<typeof Usage>): string {
  const rows = items.map((row) => [
    ...(by === 'model' ? [] : [row.of ?? '']),
    row.model,
    String(row.runs),
    String(row.input_tokens),
    String(row.cached_tokens),
    String(row.output_tokens),
    `${(row.cost / MILLION).toFixed(4)} ${row.currency ?? ''}`.trimEnd(),
  ]);
  return tableOf([...(by === 'model' ? [] : [by]), 'model', 'runs', 'input', 'cached', 'output', 'cost'], rows);
}

function momentOf(option: string, when: string): string {
  if (/^\d{1,6}[smhd]$/.test(when)) return String(Date.now() - parsePeriod(option, when));
  const moment = MOMENT.test(when) ? Date.parse(when) : Number.NaN;
  if (Number.isNaN(moment))
    throw usage(
      `\`${option} ${when}\` is no moment: write 2026-01-31, 2026-01-31T09:30:00Z, or a period before now such as 7d`,
    );
  return String(moment);
}
