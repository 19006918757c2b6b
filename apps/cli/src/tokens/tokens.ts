// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { warnOfMissingResources } from '../resources/warn-missing.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { createVerb, getVerb } from '../verbs.ts';
import { describeToken, statusOf, Token } from './describe-token.ts';
import { emptyGrant, grantOf, withGrantOptions, type GrantOptions } from './grant-options.ts';
import { verifyTools } from './verify-tools.ts';

interface IssueOptions extends GrantOptions {
  readonly agent?: string;
  readonly workspace?: string;
  readonly allowUnknownTools?: true;
}

interface ListOptions extends CommonOptions {
  readonly agent?: string;
  readonly parent?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;
const ALLOW_UNKNOWN = 'also grant tools that there are not yet; by default they are refused';
const path = (id: string): string => `/v1/capability-tokens/${encodeURIComponent(id)}`;

/** `writ token`. */
export function tokenCommand(context: Context): Command {
  return new Command('token')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(issueCommand(context))
    .addCommand(attenuateCommand(context))
    .addCommand(revokeCommand(context));
}

function issueCommand(context: Context): Command {
  const command = withGrantOptions(
    createVerb('issue').description('a token for an agent; it grants only what options name'),
  )
    .option('--agent <id>', 'the agent that may use it')
    .option('--workspace <id>', 'the only workspace it grants; any by default')
    .option('--allow-unknown-tools', ALLOW_UNKNOWN);
  return command.action(async () => {
    const options = command.optsWithGlobals<IssueOptions>();
    const { client, defaults } = connect(context, options, 'admin');
    const agent_id = options.agent ?? defaults.agent_id;
    if (agent_id === undefined) throw usage('`--agent` is missing');
    const now = Date.now();
    const body = {
      agent_id,
      workspace_id: options.workspace ?? null,
      grant: await grantOf(context, options, emptyGrant(now), now),
    };
    await warnOfMissingResources(context, client, options.resource ?? []);
    await verifyTools(context, client, body.grant.tools, options.allowUnknownTools === true);
    const token = await client.read(Token, '/v1/capability-tokens', { method: 'POST', body });
    show(context, options, token, () => describeToken(token, Date.now()));
  });
}

function attenuateCommand(context: Context): Command {
  const command = withGrantOptions(
    new Command('attenuate')
      .description('a child of a token, for the same agent or another; it inherits what options do not name')
      .argument('<token>'),
  )
    .option('--agent <id>', "the agent that may use it; the parent's agent by default")
    .option('--workspace <id>', "the only workspace it grants; the parent's by default")
    .option('--allow-unknown-tools', ALLOW_UNKNOWN);
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<IssueOptions>();
    const { client } = connect(context, options, 'admin');
    const parent = await client.read(Token, path(id));
    const body = {
      agent_id: options.agent,
      workspace_id: options.workspace,
      grant: await grantOf(context, options, parent.grant, Date.now()),
    };
    await warnOfMissingResources(context, client, options.resource ?? []);
    await verifyTools(context, client, body.grant.tools, options.allowUnknownTools === true);
    const token = await client.read(Token, `${path(id)}/attenuate`, { method: 'POST', body });
    show(context, options, token, () => describeToken(token, Date.now()));
  });
}

function showCommand(context: Context): Command {
  const command = getVerb()
    .description('the grant of a token, its chain, and its remaining budgets')
    .argument('<token>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const token = await connect(context, options, 'admin').client.read(Token, path(id));
    show(context, options, token, () => describeToken(token, Date.now()));
  });
}

function revokeCommand(context: Context): Command {
  const command = new Command('revoke').description('revoke a token and all its descendants').argument('<token>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const token = await connect(context, options, 'admin').client.read(Token, `${path(id)}/revoke`, {
      method: 'POST',
      body: {},
    });
    show(context, options, token, () => describeToken(token, Date.now()));
  });
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('tokens, newest first')
    .option('--agent <id>', 'only those of one agent')
    .option('--parent <token>', 'only children of that token')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, Token, '/v1/capability-tokens', {
      agent_id: options.agent,
      parent_id: options.parent,
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((token) => [
      momentOf(token.created_at),
      token.capability_token_id,
      token.agent_id,
      token.grant.tools.join(' '),
      momentOf(token.grant.expires_at),
      statusOf(token, Date.now()),
    ]);
    show(context, options, list, () =>
      rows.length === 0 ? 'no tokens' : tableOf(['issued', 'token', 'agent', 'tools', 'expires', 'state'], rows),
    );
  });
}
