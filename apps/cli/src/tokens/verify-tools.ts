// SPDX-License-Identifier: Apache-2.0
import { didYouMean, TOOLS } from '@writ/contract';
import { CliError, usage } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { THINGS, thingsIn } from '../http/known-things.ts';
import { visibleLine } from '../visible.ts';

/** Whether a pattern of a grant is for a tool: its name, a family such as `fs.*`, or `*`. */
const fits = (pattern: string, tool: string): boolean =>
  pattern === '*' || pattern === tool || (pattern.endsWith('.*') && tool.startsWith(pattern.slice(0, -1)));

/**
 * Says on stderr which patterns of a grant are for no tool. It is no error, unless the caller wants it to be: a token
 * may name a tool that is registered later. The server is asked only about what isn't one of Writ's own tools.
 *
 * @throws CliError `usage` with `isStrict`
 */
export async function warnOfUnknownTools(
  context: Context,
  client: Client,
  patterns: readonly string[],
  isStrict: boolean,
): Promise<void> {
  const own = [...TOOLS.keys()];
  const others = patterns.filter((pattern) => !own.some((tool) => fits(pattern, tool)));
  if (others.length === 0) return;
  const tools = await toolsOf(client, isStrict);
  if (tools === null) return;
  for (const pattern of others.filter((each) => !tools.some((tool) => fits(each, tool)))) {
    const names = pattern.endsWith('.*') ? [...new Set(tools.map(familyOf))] : tools;
    const text = `\`${visibleLine(pattern)}\` is for no tool that there is${didYouMean(pattern, names)}`;
    if (isStrict) throw usage(`${text}; nothing was made`);
    context.writeError(`warning: ${text}; \`writ tool list\` shows them, and --strict refuses such a token\n`);
  }
}

const familyOf = (tool: string): string => `${tool.split('.')[0] ?? ''}.*`;

/** Null where they can't be listed, which is a reason to refuse only for a strict caller. */
async function toolsOf(client: Client, isStrict: boolean): Promise<string[] | null> {
  try {
    const answer = await client.request(THINGS.tool.path);
    return thingsIn('tool', await answer.json()).map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof CliError) || isStrict) throw error;
    return null;
  }
}
