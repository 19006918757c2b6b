// SPDX-License-Identifier: Apache-2.0
import { ApproverGroupView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteNamedCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

const PATH = '/v1/approver-groups';
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

/** `writ approver-group`: persons for whom policies reserve approvals. */
export function approverGroupCommand(context: Context): Command {
  return new Command('approver-group')
    .description('Approver groups: persons for whom policies reserve approvals (`@approvers`).')
    .addCommand(
      listCommand(context, {
        item: ApproverGroupView,
        path: PATH,
        head: ['group', 'members', 'changed', 'description'],
        rowOf: ({ name, members, changed_at, description }) => [
          name,
          members.length === 0 ? 'nobody' : members.join(' '),
          momentOf(changed_at),
          description,
        ],
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(setCommand(context))
    .addCommand(deleteNamedCommand(context, 'group', 'removes a group that the policy in force does not name', pathOf));
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one group with its members').argument('<group>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const group = await connect(context, options, 'operator').client.read(ApproverGroupView, pathOf(name));
    show(context, options, group, () => describe(group));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description('makes or changes a group: it has exactly these members afterwards')
    .argument('<group>')
    .argument('[person...]', 'the members: names as on their API keys, or ids of keys without one; none: nobody')
    .option('--description <text>', 'what the group is for; it stays without this option');
  return command.action(async (name: string, members: readonly string[]) => {
    const { description, ...options } = command.optsWithGlobals<CommonOptions & { description?: string }>();
    const body = { name, members, ...(description === undefined ? {} : { description }) };
    const { client } = connect(context, options, 'admin');
    const group = await client.read(ApproverGroupView, PATH, { method: 'PUT', body });
    show(context, options, group, () => describe(group));
  });
}

const describe = ({ name, description, members, changed_at, changed_by }: ApproverGroupView): string =>
  fieldsOf({
    group: name,
    description,
    members: members.length === 0 ? 'nobody' : members.join(' '),
    changed: `${momentOf(changed_at)} by ${changed_by}`,
  });
