// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { McpServerView } from '@writ/contract';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { visibleLine } from '../visible.ts';
import { pathOf } from './paths.ts';

/** An executor has 45 seconds for a listing. Most take less than one. */
const WAIT_MS = 90_000;
const EVERY_MS = 500;

/** `writ mcp-server refresh`. */
export function refreshCommand(context: Context): Command {
  const command = new Command('refresh')
    .description('has the tools of a server listed as soon as an executor is free')
    .argument('<server>')
    .option('--wait', 'returns once they are listed, and fails where they could not be');
  return command.action(async (name: string) => {
    const { wait, ...options } = command.optsWithGlobals<CommonOptions & { wait?: true }>();
    const { client } = connect(context, options, 'admin');
    const server = await client.read(McpServerView, `${pathOf(name)}/refresh`, { method: 'POST', body: {} });
    if (wait !== true) {
      show(context, options, server, () => `${server.name} is listed in a moment`);
      return;
    }
    const listed = await listedAfter(client, server);
    show(context, options, listed, () => describeListed(listed));
  });
}

/** The server after the next attempt. @throws CliError with the problem of an attempt that failed */
async function listedAfter(client: Client, { name, checked_at }: McpServerView): Promise<McpServerView> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const server = await client.read(McpServerView, pathOf(name));
    if (server.checked_at !== checked_at) {
      if (server.problem === null) return server;
      throw new CliError(server.problem.code, visibleLine(server.problem.message));
    }
    if (performance.now() > end)
      throw new CliError('timeout', `no executor has listed \`${name}\` so far: look at \`writ mcp-server list\``);
    await delay(EVERY_MS);
  }
}

const describeListed = ({ name, tools: { accepted, changed, gone, new: fresh } }: McpServerView): string =>
  `${name} is listed: ${accepted} accepted, ${fresh + changed} to decide, ${gone} gone`;
