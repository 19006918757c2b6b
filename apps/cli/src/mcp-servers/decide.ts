// SPDX-License-Identifier: Apache-2.0
import { McpDecisionReply, McpServerToolView } from '@writ/contract';
import { Command, Option } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { readList } from '../http/lists.ts';
import { visibleLine } from '../visible.ts';
import { chosenAs } from './describe-tool.ts';
import { pathOf } from './paths.ts';

/** Tools that one request names. */
const CHOSEN_MAX = 512;

/** Every tool that a server lists or listed. */
export async function readTools(client: Client, server: string, state?: string): Promise<McpServerToolView[]> {
  const tools: McpServerToolView[] = [];
  let cursor: string | undefined;
  do {
    const page = await readList(client, McpServerToolView, `${pathOf(server)}/tools`, { limit: 100, state, cursor });
    tools.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return tools;
}

interface AcceptOptions extends CommonOptions {
  readonly as?: 'read' | 'write' | 'admin';
}

/** `writ mcp-server accept` */
export function acceptCommand(context: Context): Command {
  const command = new Command('accept')
    .description('puts tools into force with the definitions that you looked at')
    .argument('<server>')
    .argument('<tools...>', 'each as TOOL@DIGEST, which `diff` prints')
    .addOption(
      new Option(
        '--as <category>',
        'what kind of tools they are; by default as now or by their hints, the stricter one, and never read by hints',
      ).choices(['read', 'write', 'admin']),
    );
  return command.action(async (server: string, texts: string[]) => {
    const options = command.optsWithGlobals<AcceptOptions>();
    await decide(context, options, { server, texts, verb: 'accept' });
  });
}

/** `writ mcp-server refuse` */
export function refuseCommand(context: Context): Command {
  const command = new Command('refuse')
    .description('takes tools out of force while their server lists these definitions, and ends their acceptance')
    .argument('<server>')
    .argument('<tools...>', 'each as TOOL@DIGEST, which `diff` prints');
  return command.action(async (server: string, texts: string[]) => {
    await decide(context, command.optsWithGlobals<AcceptOptions>(), { server, texts, verb: 'refuse' });
  });
}

interface Decision {
  readonly server: string;
  readonly texts: readonly string[];
  readonly verb: 'accept' | 'refuse';
}

async function decide(
  context: Context,
  { as: category, ...options }: AcceptOptions,
  { server, texts, verb }: Decision,
): Promise<void> {
  const named = texts.map(parseChosen);
  if (named.length > CHOSEN_MAX) throw usage(`at most ${String(CHOSEN_MAX)} tools are decided on at once`);
  const { client } = connect(context, options, 'admin');
  const known = new Map((await readTools(client, server)).map((tool) => [tool.remote_name, tool]));
  const tools = named.map(({ name, digest }) => {
    const tool = known.get(name);
    // A refusal may also end the acceptance of a definition that the server lists no more.
    const isKnown = tool?.seen?.digest === digest || (verb === 'refuse' && tool?.accepted?.digest === digest);
    if (!isKnown) throw notSeen(server, name, tool);
    return { name, digest, ...(category === undefined ? {} : { category }) };
  });
  const reply = await client.read(McpDecisionReply, `${pathOf(server)}/tools/${verb}`, {
    method: 'POST',
    body: { tools },
  });
  show(context, options, reply, () => reply.tools.map(({ tool_id, state }) => `${tool_id}  ${state}`).join('\n'));
}

/** A name may have an `@` of its own. */
function parseChosen(text: string): { name: string; digest: string } {
  const at = text.lastIndexOf('@');
  const [name, digest] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[0-9a-f]{64}$/.test(digest))
    throw usage(
      `\`${visibleLine(text)}\` names no definition: write TOOL@DIGEST with all 64 digits, as \`writ mcp-server diff\` prints it`,
    );
  return { name, digest };
}

const notSeen = (server: string, name: string, tool: McpServerToolView | undefined): CliError =>
  tool === undefined
    ? new CliError('not_found', `the server \`${server}\` lists no tool \`${visibleLine(name)}\``)
    : new CliError(
        'conflict',
        `the server describes it otherwise by now: look at \`writ mcp-server diff ${server}\`, then name \`${chosenAs(tool)}\``,
      );
