// SPDX-License-Identifier: Apache-2.0
import { RecordPage, type RecordRow } from '@writ/contract';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, queryOf } from '../http/lists.ts';
import { momentBefore } from '../period.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { writeWhole } from '../write-whole.ts';
import { getVerb } from '../verbs.ts';

interface ListOptions extends CommonOptions {
  readonly agent?: string;
  readonly tool?: string;
  readonly session?: string;
  readonly operation?: string;
  readonly type?: string;
  readonly verdict?: string;
  readonly outcome?: string;
  readonly riskMin?: string;
  readonly riskMax?: string;
  readonly since?: string;
  readonly until?: string;
  readonly resource?: string;
  readonly text?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A record by its index, in the API's form. */
const RecordAnswer = Type.Object({
  leaf_index: Type.Integer(),
  tree_size: Type.Integer(),
  statement: Type.Record(Type.String(), Type.Unknown()),
  receipt: Type.String(),
});

const LIST_ROWS = 50;

/** `writ records`. */
export function recordsCommand(context: Context): Command {
  return new Command('record').addCommand(listCommand(context), { isDefault: true }).addCommand(showCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('search records by an index of the log; all filters must match')
    .option('--agent <id>')
    .option('--tool <id>')
    .option('--session <id>')
    .option('--operation <id>')
    .option('--type <kind>', 'tool_call, approval, token, policy, resolution, erasure, key, workspace or change')
    .option('--verdict <verdict>', 'admitted, refused or held')
    .option('--outcome <outcome>', 'committed, rolled_back, no_op or ambiguous')
    .option('--risk-min <score>', '0 to 1')
    .option('--risk-max <score>', '0 to 1')
    .option('--since <when>', 'a moment such as 2026-01-31T09:30:00Z, or a period before now such as 12h')
    .option('--until <when>', 'the end of the range, exclusive; likewise')
    .option('--resource <id>', 'the resource; with `*` at its end, all with that prefix')
    .option('--text <words>', 'words in rule ids, fault code, risk basis and change')
    .option('--order <order>', 'newest or oldest')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show; repeat the filters');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const path = `/v1/records${filterQuery(options)}`;
    const page = await connect(context, options, 'admin').client.read(RecordPage, path);
    show(context, options, page, () => describe(page));
  });
}

/** The filters and the page of the options, with the API's names. */
function filterQuery(options: ListOptions): string {
  const { agent, tool, session, operation, type, verdict, outcome, resource, text, order, limit, cursor } = options;
  return queryOf({
    agent,
    tool,
    session,
    operation,
    type,
    verdict,
    outcome,
    risk_min: options.riskMin,
    risk_max: options.riskMax,
    since: momentBefore('--since', options.since),
    until: momentBefore('--until', options.until),
    resource,
    text,
    order,
    limit,
    cursor,
  });
}

function describe({ items, next_cursor, indexed_to, tree_size }: Static<typeof RecordPage>): string {
  const rows = items.map((each) => [
    String(each.leaf_index),
    momentOf(each.recorded_at),
    each.phase ?? each.type,
    each.tool_id ?? '',
    each.outcome ?? each.verdict ?? '',
    each.fault_code ?? '',
    riskOf(each),
    each.operation_id ?? each.record_id,
  ]);
  const behind = indexed_to < tree_size ? `\nindexed: the first ${indexed_to} of ${tree_size} records` : '';
  const more = next_cursor === null ? '' : `\nmore: the same with --cursor ${next_cursor}`;
  return `${tableOf(['index', 'recorded', 'what', 'tool', 'verdict', 'why', 'risk', 'operation'], rows)}${behind}${more}`;
}

const riskOf = ({ risk_score, is_drawn }: RecordRow): string =>
  is_drawn ? String(risk_score ?? '') : 'of an unknown version';

function showCommand(context: Context): Command {
  const command = getVerb()
    .description('one record, as it was signed')
    .argument('<index>', 'its index in the log')
    .option('--receipt <file>', 'writes its receipt there as well, byte for byte');
  return command.action(async (index: string) => {
    if (!/^\d{1,15}$/.test(index))
      throw usage(`\`${index}\` is no place in a log: it is the \`index\` that \`writ records list\` shows`);
    const options = command.optsWithGlobals<CommonOptions & { receipt?: string }>();
    const { client } = connect(context, options, 'admin');
    const path = `/v1/records/${Number(index)}`;
    const record = await client.read(RecordAnswer, path);
    if (options.receipt !== undefined)
      writeWhole(options.receipt, await (await client.request(`${path}/receipt`)).bytes());
    show(context, options, record, () =>
      fieldsOf({
        index: record.leaf_index,
        of: record.tree_size,
        receipt: options.receipt ?? record.receipt,
        statement: JSON.stringify(record.statement, null, 2),
      }),
    );
  });
}
