// SPDX-License-Identifier: Apache-2.0
import { BudgetView, type BudgetSetting } from '@writ/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

interface SetOptions extends CommonOptions {
  readonly agent?: string;
  readonly person?: string;
  readonly group?: string;
  readonly key?: string;
  readonly per: 'day' | 'month';
  readonly of: BudgetView['measure'];
  readonly currency?: string;
}

const PATH = '/v1/budgets';
/** Costs are in millionths. */
const MILLION = 1_000_000;

/** `writ budget`. */
export function budgetCommand(context: Context): Command {
  return new Command('budget')
    .addCommand(
      listCommand(context, {
        item: BudgetView,
        path: PATH,
        head: ['budget', 'for', 'of', 'per', 'used', 'limit', 'resets'],
        rowOf: (each) => [
          each.budget_id,
          subjectOf(each),
          each.measure,
          each.period,
          amountOf(each, each.used),
          amountOf(each, each.limit),
          momentOf(each.resets_at),
        ],
        holder: 'admin',
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(setCommand(context))
    .addCommand(removeCommand(context));
}

function showCommand(context: Context): Command {
  const command = getVerb().description('a budget with its use, and when it resets').argument('<budget>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const budget = await connect(context, options, 'admin').client.read(BudgetView, pathOf(id));
    show(context, options, budget, () => describe(budget));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description('make a budget, or change its limit; of the whole tenant unless an option names somebody')
    .argument('<limit>', 'calls or tokens; of costs the amount in the currency, such as 12.50', parseLimit)
    .option('--agent <id>', 'for an agent')
    .option('--person <name>', 'for a person, as API keys name them')
    .option('--group <name>', 'for the members of an approver group together')
    .option('--key <id>', 'for an API key')
    .addOption(new Option('--per <period>', 'what it resets with, in UTC').choices(['day', 'month']).default('month'))
    .addOption(new Option('--of <measure>', 'what it bounds').choices(['calls', 'llm_tokens', 'cost']).default('calls'))
    .option('--currency <code>', 'of costs, such as EUR');
  return command.action(async (limit: number) => {
    const options = command.optsWithGlobals<SetOptions>();
    const { client } = connect(context, options, 'admin');
    const budget = await client.read(BudgetView, PATH, { method: 'PUT', body: settingOf(limit, options) });
    show(context, options, budget, () => describe(budget));
  });
}

function removeCommand(context: Context): Command {
  const command = deleteCommand().description('delete a budget with the count of its use').argument('<budget>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const budget = await client.read(BudgetView, pathOf(id), { method: 'DELETE' });
    show(context, options, budget, () => `deleted ${budget.budget_id}`);
  });
}

function settingOf(limit: number, { agent, person, group, key, per, of, currency }: SetOptions): BudgetSetting {
  const named = Object.entries({ agent, person, group, api_key: key }).flatMap(([kind, id]) =>
    id === undefined ? [] : [{ kind: kind as 'agent' | 'person' | 'group' | 'api_key', id }],
  );
  const [subject = { kind: 'tenant' as const, id: null }] = named;
  if (named.length > 1) throw usage('name one of `--agent`, `--person`, `--group` and `--key`');
  if ((of === 'cost') !== (currency !== undefined))
    throw usage('`--currency` says which costs `--of cost` bounds: give both or neither');
  const amount = of === 'cost' ? Math.round(limit * MILLION) : limit;
  if (!Number.isInteger(amount))
    throw usage(`\`${limit}\` is no whole number of ${of === 'calls' ? 'calls' : 'tokens'}`);
  return { subject, period: per, measure: of, currency: currency ?? null, limit: amount };
}

function parseLimit(text: string): number {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text))
    throw new InvalidArgumentError(`\`${text}\` is no amount such as 1000 or 12.50`);
  return Number(text);
}

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

const amountOf = ({ measure, currency }: BudgetView, amount: number): string =>
  measure === 'cost' ? `${(amount / MILLION).toFixed(2)} ${currency ?? ''}`.trimEnd() : String(amount);

const subjectOf = ({ subject: { kind, id } }: BudgetView): string =>
  kind === 'tenant' ? 'the whole tenant' : `${kind === 'api_key' ? 'key' : kind} ${id ?? '?'}`;

function describe(budget: BudgetView): string {
  return fieldsOf({
    budget: budget.budget_id,
    for: subjectOf(budget),
    of: budget.measure,
    per: budget.period,
    used: `${amountOf(budget, budget.used)} of ${amountOf(budget, budget.limit)}`,
    since: momentOf(budget.starts_at),
    resets: momentOf(budget.resets_at),
    set: `${momentOf(budget.changed_at)} by ${budget.changed_by}`,
  });
}
