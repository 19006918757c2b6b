// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { Command, Option } from 'commander';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { linesOf } from '../risk/lines.ts';
import { Bridge } from './bridge.ts';

interface McpOptions extends CommonOptions {
  readonly token?: string;
  readonly workspace?: string;
  readonly tools: string;
  readonly server?: string;
}

/** `writ mcp`: a server of the Model Context Protocol on standard input and output, for clients that start programs. */
export function mcpCommand(context: Context): Command {
  const command = new Command('mcp')
    .option('--token <id>', 'the capability token of the calls; by default the only one of the agent')
    .option('--workspace <id>', 'the workspace of the calls; by default that of the token')
    .option('--server <name>', 'serve one registered MCP server alone, with the names and results that it has itself')
    .addOption(
      new Option('--tools <which>', 'list all tools, or only those that find the others')
        .choices(['all', 'search'])
        .default('all'),
    );
  return command.action(async () => {
    const { token, workspace, tools, server, ...options } = command.optsWithGlobals<McpOptions>();
    const { client, defaults } = connect(context, options, 'agent');
    const tokenId = token ?? defaults.capability_token_id;
    const workspaceId = workspace ?? defaults.workspace_id;
    const query = new URLSearchParams({
      ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }),
      ...(tools === 'all' ? {} : { tools }),
      ...(server === undefined ? {} : { server }),
    }).toString();
    const path = `/mcp${tokenId === undefined ? '' : `/${tokenId}`}${query === '' ? '' : `?${query}`}`;
    const bridge = new Bridge({
      send: (body, headers, signal) => client.send(path, body, headers, signal),
      write: (line) => context.write(`${line}\n`),
    });
    context.onInterrupt(() => bridge.close());
    for await (const line of linesOf(context.streamStdin(), LIMITS.httpBodyBytes.max)) {
      if ('problem' in line)
        throw new CliError('mcp', `a message on standard input can't be read: \`${line.problem}\``, EXIT.failed);
      if (line.text.trim() !== '') bridge.receive(line.text);
    }
    await bridge.finished();
  });
}
