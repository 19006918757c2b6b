// SPDX-License-Identifier: Apache-2.0
// Connections: a person lets an MCP server act for their calls under their own rights.
import { setTimeout as delay } from 'node:timers/promises';
import { MCP_CONNECTION_LIMITS, McpConnectionView } from '@writ/contract';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { pathOf } from './paths.ts';

const LIST_ROWS = 50;
/** How often the state is read while a person consents: they don't notice a second. */
const POLL_MS = 1_000;
/** A consent of the last moment still takes an exchange of its code. */
const AFTER_MS = 60_000;
/** How often, and how long apart, a link is asked for while no executor has found the authorization server yet. */
const [TRIES, RETRY_MS] = [20, 1_000];

const Link = Type.Object({ connection_id: Type.String(), url: Type.String(), expires_at: Type.Integer() });

const connectionsOf = (server: string): string => `${pathOf(server)}/connections`;

interface ConnectOptions extends CommonOptions {
  readonly lists?: boolean;
  readonly wait: boolean;
}

/** `writ mcp-server connect`. */
export function connectCommand(context: Context): Command {
  const command = new Command('connect')
    .description('lets a server act under your own rights: open the link that it prints, as the person of the token')
    .argument('<server>')
    .option('--lists', "have the server's tools listed with your rights; takes the role admin")
    .option('--no-wait', 'print the link, and wait for nothing');
  return command.action(async (server: string) => {
    const { lists = false, wait, ...options } = command.optsWithGlobals<ConnectOptions>();
    const { client } = connect(context, options, lists ? 'admin' : 'agent');
    const link = await askForLink(client, server, lists);
    if (!wait) return show(context, options, link, () => link.url);
    context.writeError(`Open this link in a browser, until ${momentOf(link.expires_at)}:\n${link.url}\n`);
    const ended = await waitForConsent(client, `${connectionsOf(server)}/${link.connection_id}`);
    show(context, options, ended, () => `connected ${server}: ${ended.connection_id}`);
  });
}

async function askForLink(client: Client, server: string, lists: boolean): Promise<Static<typeof Link>> {
  const path = lists ? `${pathOf(server)}/listing-connection` : connectionsOf(server);
  for (let tries = 1; ; tries += 1)
    try {
      return await client.read(Link, path, { method: 'POST', body: {} });
    } catch (error) {
      // Until an executor has looked for the authorization server of a new MCP server.
      if (!(error instanceof CliError) || error.code !== 'overloaded' || tries === TRIES) throw error;
      await delay(RETRY_MS);
    }
}

async function waitForConsent(client: Client, path: string): Promise<McpConnectionView> {
  const until = performance.now() + MCP_CONNECTION_LIMITS.consentMs + AFTER_MS;
  while (performance.now() < until) {
    const connection = await client.read(McpConnectionView, path);
    const { state, problem } = connection;
    if (state === 'connected') return connection;
    if (state === 'failed' || state === 'ended')
      throw new CliError(
        problem?.code ?? 'mcp.consent_failed',
        visibleLine(problem?.message ?? 'nobody consented in time: ask for a new link'),
      );
    await delay(POLL_MS);
  }
  throw new CliError('mcp.consent_failed', 'nobody consented in time: ask for a new link');
}

/** `writ mcp-server connections`. */
export function connectionsCommand(context: Context): Command {
  const command = new Command('connections')
    .description('your connections to a server; for administrators, those of all people')
    .argument('<server>')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async (server: string) => {
    const options = command.optsWithGlobals<CommonOptions & { limit?: number; cursor?: string }>();
    const list = await readList(connect(context, options, 'agent').client, McpConnectionView, connectionsOf(server), {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['since', 'connection', 'state', 'whose', 'lists', 'used', 'problem'],
        list.items.map((each) => [
          momentOf(each.created_at),
          each.connection_id,
          each.state,
          each.own ? 'yours' : (each.person ?? ''),
          each.lists ? 'yes' : '',
          each.used_at === null ? '' : momentOf(each.used_at),
          each.problem === null ? '' : visibleLine(`${each.problem.code}: ${each.problem.message}`),
        ]),
      ),
    );
  });
}

/** `writ mcp-server disconnect`. */
export function disconnectCommand(context: Context): Command {
  const command = new Command('disconnect')
    .description('ends a connection: its tokens are revoked, and no call uses them from then on')
    .argument('<server>')
    .argument('<connection>', 'its id, as `writ mcp-server connections` shows it');
  return command.action(async (server: string, id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const path = `${connectionsOf(server)}/${encodeURIComponent(id)}`;
    const ended = await connect(context, options, 'agent').client.read(McpConnectionView, path, { method: 'DELETE' });
    show(context, options, ended, () => `disconnected ${ended.connection_id}`);
  });
}
