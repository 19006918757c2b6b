// SPDX-License-Identifier: Apache-2.0
import { didYouMean, TOOLS } from '@writ/contract';
import { CliError, EXIT } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { THINGS, thingsIn } from '../http/known-things.ts';
import { visibleLine } from '../visible.ts';

/** Whether a pattern of a grant is for a tool: its name, a family such as `fs.*`, or `*`. */
const fits = (pattern: string, tool: string): boolean =>
  pattern === '*' || pattern === tool || (pattern.endsWith('.*') && tool.startsWith(pattern.slice(0, -1)));

/**
 * Refuses a grant of a tool that there is not: nobody could use it, and mostly its name is misspelt. A caller who means
 * a tool that is registered later says so. The server is asked only about what isn't one of Writ's own tools.
 *
 * @param isAllowed whether the caller allows such tools; then it is a warning
 * @throws CliError `tool.unknown`
 */
export async function verifyTools(
  context: Context,
  client: Client,
  patterns: readonly string[],
  isAllowed: boolean,
): Promise<void> {
  const own = [...TOOLS.keys()];
  const others = patterns.filter((pattern) => !own.some((tool) => fits(pattern, tool)));
  if (others.length === 0) return;
  const tools = await toolsOf(context, client);
  if (tools === null) return;
  for (const pattern of others.filter((each) => !tools.some((tool) => fits(each, tool)))) {
    const names = pattern.endsWith('.*') ? [...new Set(tools.map(familyOf))] : tools;
    const text = `\`${visibleLine(pattern)}\` is for no tool that there is${didYouMean(pattern, names)}`;
    if (!isAllowed)
      throw new CliError(
        'tool.unknown',
        `${text}; nothing was made. \`writ tool list\` shows the tools, and \`--allow-unknown-tools\` makes a token for one that is registered later`,
        EXIT.notFound,
      );
    context.writeError(`warning: ${text}\n`);
  }
}

const familyOf = (tool: string): string => `${tool.split('.')[0] ?? ''}.*`;

/** Null where this key can't list them, which is said: the server decides whether the token is made. */
async function toolsOf(context: Context, client: Client): Promise<string[] | null> {
  try {
    const answer = await client.request(THINGS.tool.path);
    return thingsIn('tool', await answer.json()).map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== EXIT.notAllowed) throw error;
    context.writeError('warning: this key may not list the tools, so their names were not checked\n');
    return null;
  }
}
