// SPDX-License-Identifier: Apache-2.0
import { PolicyActivation, PolicyDiff, PolicyPage, PolicySetDetails, type PolicySetView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, queryOf, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, paint, tableOf } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';
import { getVerb } from '../verbs.ts';

type ListOptions = CommonOptions & { readonly limit?: number; readonly cursor?: string };

const LIST_ROWS = 50;

export function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('the set in force, the shipped sets and your own')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const page = await connect(context, options, 'admin').client.read(
      PolicyPage,
      `/v1/policies${queryOf({ limit: options.limit, cursor: options.cursor })}`,
    );
    const stored = new Set(page.items.map(({ policy_hash }) => policy_hash));
    const all = [...page.items, ...page.shipped.filter(({ policy_hash }) => !stored.has(policy_hash))];
    show(context, options, page, () => tableOf(['', 'set', 'enforcement', 'stored', 'hash'], all.map(rowOf)));
  });
}

const rowOf = (set: PolicySetView): string[] => [
  set.active ? 'in force' : '',
  nameOf(set),
  set.enforcement,
  set.created_at === null ? 'shipped' : momentOf(set.created_at),
  set.policy_hash,
];
const nameOf = ({ name, version }: Pick<PolicySetView, 'name' | 'version'>): string =>
  version === null ? name : `${name}@${version}`;

export function showCommand(context: Context): Command {
  const command = getVerb()
    .description('a set with all its rules; the one in force by default')
    .argument('[policy]', 'its hash, its name or name@version');
  return command.action(async (policy = 'active') => {
    const options = command.optsWithGlobals<CommonOptions>();
    const set = await connect(context, options, 'admin').client.read(
      PolicySetDetails,
      `/v1/policies/${encodeURIComponent(policy as string)}`,
    );
    const { cedar, ...rest } = set.document;
    show(
      context,
      options,
      set,
      () =>
        `${fieldsOf({
          set: nameOf(set),
          'in force': set.active ? 'yes' : 'no',
          enforcement: set.enforcement,
          hash: set.policy_hash,
          what: set.description,
          stored: set.created_at === null ? 'shipped' : `${momentOf(set.created_at)} by ${set.created_by ?? '?'}`,
        })}\n\n${visible(JSON.stringify(rest, null, 2))}\n\n${visible(String(cedar))}`,
    );
  });
}

export function diffCommand(context: Context): Command {
  const command = new Command('diff')
    .description('compare two sets rule by rule; the first is the set in force by default')
    .argument('<policy>')
    .argument('[other]');
  return command.action(async (one: string, two?: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const query = two === undefined ? { to: one } : { from: one, to: two };
    const diff = await connect(context, options, 'admin').client.read(PolicyDiff, `/v1/policies/diff${queryOf(query)}`);
    show(context, options, diff, () => describe(diff));
  });
}

function describe({ from, to, rules, history, settings }: PolicyDiff): string {
  const lines = (mark: '-' | '+', value: unknown): string[] =>
    value === null
      ? []
      : textOf(value)
          .split('\n')
          .map((line) => (mark === '-' ? paint.red : paint.green)(`${mark} ${visibleLine(line)}`));
  const changes = [...rules, ...history].flatMap(({ id, change, before, after }) => [
    paint.bold(`${change} ${visibleLine(id)}`),
    ...lines('-', before),
    ...lines('+', after),
  ]);
  const values = settings.map(
    ({ pointer, before, after }) => `${visibleLine(pointer)}: ${textOf(before)} → ${textOf(after)}`,
  );
  const all = [...values, ...changes];
  return [`${nameOf(from)} → ${nameOf(to)}`, ...(all.length === 0 ? ['nothing differs'] : all)].join('\n');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value));

export function historyCommand(context: Context): Command {
  const command = new Command('history')
    .description('activations of sets, newest first')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(
      connect(context, options, 'admin').client,
      PolicyActivation,
      '/v1/policies/activations',
      { limit: options.limit, cursor: options.cursor },
    );
    const rows = list.items.map((each) => [
      each.at === null ? '' : momentOf(each.at),
      nameOf(each),
      each.enforcement,
      each.activated_by ?? '',
      each.note ?? '',
    ]);
    show(context, options, list, () =>
      rows.length === 0
        ? 'none was ever activated: the default set is in force'
        : tableOf(['since', 'set', 'enforcement', 'by', 'note'], rows),
    );
  });
}
