// SPDX-License-Identifier: Apache-2.0
import { MCP_ASKS, MCP_TOOL_STATES, McpServerView, ResourceView } from '@writ/contract';
import { Command, Option } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { listCommand } from '../list-command.ts';
import { findResource, RESOURCES_PATH } from '../resources/find-resource.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { createVerb } from '../verbs.ts';
import { connectCommand, connectionsCommand, disconnectCommand } from './connections.ts';
import { acceptCommand, readTools, refuseCommand } from './decide.ts';
import { chosenAs, describeTool } from './describe-tool.ts';
import { MCP_SERVERS_PATH } from './paths.ts';
import { refreshCommand } from './refresh.ts';
import { collect, parsePair, serverSettings, type ServerOptions } from './server-settings.ts';

/** Of a program with its arguments, in a table. */
const COMMAND_CHARS_MAX = 60;

/** `writ mcp-server`: MCP servers whose tools are tools of the tenant. */
export function mcpServerCommand(context: Context): Command {
  return new Command('mcp-server')
    .description(
      'MCP servers behind Writ. What a server says of its tools is its own words: look at it, then accept or refuse it.',
    )
    .addCommand(
      listCommand(context, {
        item: McpServerView,
        path: MCP_SERVERS_PATH,
        head: ['server', 'at', 'tools', 'to decide', 'listed', 'problem'],
        rowOf: serverRow,
      }),
      { isDefault: true },
    )
    .addCommand(addCommand(context))
    .addCommand(toolsCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(acceptCommand(context))
    .addCommand(refuseCommand(context))
    .addCommand(refreshCommand(context))
    .addCommand(connectCommand(context))
    .addCommand(connectionsCommand(context))
    .addCommand(disconnectCommand(context))
    .addCommand(removeCommand(context));
}

function serverRow({ name, url, command, tools, checked_at, problem }: McpServerView): readonly string[] {
  return [
    name,
    url ?? visibleLine((command ?? []).join(' ')).slice(0, COMMAND_CHARS_MAX),
    String(tools.accepted),
    String(tools.new + tools.changed),
    checked_at === null ? 'not yet' : momentOf(checked_at),
    problem === null ? '' : visibleLine(`${problem.code}: ${problem.message}`),
  ];
}

function addCommand(context: Context): Command {
  const command = createVerb('add')
    .description('registers a server that speaks streamable HTTP, or a program that speaks MCP over stdio')
    .argument('<server>', 'its name, a part of the ids of its tools: mcp.<server>.<tool>')
    .argument('[arguments...]', 'of the program, after `--`: no shell reads them')
    .option('--at <url>', 'the MCP endpoint')
    .option('--secret <name>', "the tenant's secret that the server needs")
    .option('--header <name>', 'the header of the secret; authorization by default')
    .option('--prefix <text>', "what stands before the secret; 'Bearer ' by default")
    .option('--oauth-client <id>', 'each call has the rights of its person: the client that Writ is at the server')
    .option('--oauth-secret <name>', "the tenant's secret that authenticates the client; takes --authorization-server")
    .option('--scope <scope...>', 'the scopes that people are asked for')
    .option('--authorization-server <issuer>', 'by default the one that the server names')
    .option('--command <program>', 'a program of the image')
    .option('--image <name>', "the tenant's image that has the program; the image of sandboxes by default")
    .option('--env <name=value>', 'a variable of the program; may be repeated', parsePair)
    .option('--env-secret <name=secret>', "a variable with the value of a tenant's secret; may be repeated", parsePair)
    .option('--host <domain>', 'a host that the program may reach during calls; may be repeated', collect)
    .option('--memory <mb>', 'megabytes of one process; 1024 by default', parseCount)
    .option('--calls-max <n>', 'calls under way per executor; 8 by default', parseCount)
    .addOption(
      new Option('--asks <what...>', 'what it may ask of the client that calls it; nothing by default').choices([
        ...MCP_ASKS,
      ]),
    );
  return command.action(async (name: string, args: string[]) => {
    const options = command.optsWithGlobals<CommonOptions & ServerOptions>();
    const settings = serverSettings(options, args);
    const { client } = connect(context, options, 'admin');
    const body = { kind: 'mcp_server', name, settings };
    const resource = await client.read(ResourceView, RESOURCES_PATH, { method: 'POST', body });
    const server =
      options.oauthClient === undefined
        ? null
        : await client.read(McpServerView, `${MCP_SERVERS_PATH}/${encodeURIComponent(resource.name)}`);
    const redirectUri = server?.oauth?.redirect_uri;
    show(context, options, resource, () =>
      [
        `registered mcp_server:${resource.name}`,
        ...(redirectUri === undefined
          ? []
          : [`The redirect URI of the client, to register at the authorization server: ${redirectUri}`]),
        options.oauthClient === undefined
          ? `Its tools are listed in a moment: writ mcp-server diff ${resource.name}`
          : `Its tools are listed with your rights once you connect: writ mcp-server connect ${resource.name} --lists`,
        `Agents use it once it is granted: writ resource grant mcp_server:${resource.name} --agent ID`,
      ].join('\n'),
    );
  });
}

interface ToolsOptions extends CommonOptions {
  readonly state?: (typeof MCP_TOOL_STATES)[number];
}

function toolsCommand(context: Context): Command {
  const command = new Command('tools')
    .description('what a server lists, and the state of each tool')
    .argument('<server>')
    .addOption(new Option('--state <state>', 'only tools in this state').choices([...MCP_TOOL_STATES]));
  return command.action(async (server: string) => {
    const options = command.optsWithGlobals<ToolsOptions>();
    const items = await readTools(connect(context, options, 'operator').client, server, options.state);
    show(context, options, { items, next_cursor: null }, () =>
      tableOf(
        ['tool', 'state', 'definition', 'by its hints', 'problem'],
        items.map((tool) => [
          tool.tool_id,
          tool.state,
          chosenAs(tool),
          tool.suggested,
          visibleLine(tool.problems[0]?.message ?? ''),
        ]),
      ),
    );
  });
}

function diffCommand(context: Context): Command {
  const command = new Command('diff')
    .description('what is to be decided: new definitions in full, and how changed ones differ from the accepted ones')
    .argument('<server>')
    .argument('[tools...]', 'only these, by their names at the server');
  return command.action(async (server: string, names: string[]) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const all = await readTools(connect(context, options, 'operator').client, server);
    const items = all.filter(({ remote_name, state }) =>
      names.length > 0 ? names.includes(remote_name) : state === 'new' || state === 'changed',
    );
    show(context, options, { items, next_cursor: null }, () =>
      items.length === 0 ? 'nothing is to be decided' : items.map((tool) => describeTool(tool)).join('\n\n'),
    );
  });
}

function removeCommand(context: Context): Command {
  const command = deleteCommand()
    .description('removes a server with its tools and grants: no call uses it from then on')
    .argument('<server>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const { resource_id } = await findResource(client, `mcp_server:${name}`);
    const resource = await client.read(ResourceView, `${RESOURCES_PATH}/${resource_id}`, { method: 'DELETE' });
    show(context, options, resource, () => `removed mcp_server:${resource.name}`);
  });
}
