// SPDX-License-Identifier: Apache-2.0
//
// Shows definitions of tools of MCP servers. They are the server's words: attacker-controlled, and shown as such.
import type { McpServerToolView } from '@writ/contract';
import { createTwoFilesPatch } from 'diff';
import { visible, visibleLine } from '../visible.ts';

/** The beginning of a digest that a decision names: enough to tell any two definitions apart that a person compares. */
export const DIGEST_SHOWN = 16;
/** Lines around a difference. */
const CONTEXT_LINES = 3;

/** A tool as `accept` and `refuse` name it. */
export const chosenAs = ({ remote_name, seen }: Pick<McpServerToolView, 'remote_name' | 'seen'>): string =>
  seen === null ? visibleLine(remote_name) : `${visibleLine(remote_name)}@${seen.digest.slice(0, DIGEST_SHOWN)}`;

const linesOf = (shown: McpServerToolView['seen']): string =>
  shown === null ? '' : `${JSON.stringify(shown.definition, null, 2)}\n`;

/** A new definition in full, or the difference between the accepted one and the one that the server lists. */
export function describeTool(tool: McpServerToolView): string {
  const { tool_id, state, seen, accepted, problems, suggested } = tool;
  const names = ['accepted', "the server's words now"] as const;
  const patch = createTwoFilesPatch(...names, linesOf(accepted), linesOf(seen), undefined, undefined, {
    context: CONTEXT_LINES,
  });
  const words =
    accepted === null || accepted.digest === seen?.digest
      ? `the server's words:\n${visible(linesOf(seen ?? accepted))}`
      : visible(patch.replace(/^=+\n/, ''));
  return [
    `${tool_id}  ${state}  ${chosenAs(tool)}`,
    `category by its hints: ${suggested}`,
    ...problems.map(({ pointer, message }) => `can not be accepted: ${visibleLine(`${pointer} ${message}`.trim())}`),
    words,
  ].join('\n');
}
