// SPDX-License-Identifier: Apache-2.0
//
// Shows definitions of tools of MCP servers. They are the server's words: attacker-controlled, and shown as such.
import type { McpServerToolView } from '@writ/contract';
import { createTwoFilesPatch } from 'diff';
import { visible, visibleLine } from '../visible.ts';

/** Lines around a difference. */
const CONTEXT_LINES = 3;

/**
 * A tool with a definition, as `accept` and `refuse` name it. INVARIANT (what was looked at): the whole digest, since
 * the server chooses the definitions, and could find two that share a part of it.
 */
export const chosenAs = (
  { remote_name, seen }: Pick<McpServerToolView, 'remote_name' | 'seen'>,
  definition: McpServerToolView['seen'] = seen,
): string => [visibleLine(remote_name), ...(definition === null ? [] : [definition.digest])].join('@');

const linesOf = (shown: McpServerToolView['seen']): string =>
  shown === null ? '' : `${JSON.stringify(shown.definition, null, 2)}\n`;

/** A new definition in full, or the difference between the accepted one and the one that the server lists. */
export function describeTool(tool: McpServerToolView): string {
  const { tool_id, state, seen, accepted, problems, suggested, category, category_then } = tool;
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
    ...(accepted === null || accepted.digest === seen?.digest ? [] : [`accepted: ${chosenAs(tool, accepted)}`]),
    `category by its hints: ${suggested}`,
    `category now → then: ${category ?? 'none'} → ${category_then}`,
    ...problems.map(({ pointer, message }) => `can not be accepted: ${visibleLine(`${pointer} ${message}`.trim())}`),
    words,
  ].join('\n');
}
