// SPDX-License-Identifier: Apache-2.0
import type { ModelCall } from '@writ/agent-loop';

/** Short enough for a table of 120 columns. */
const WHAT_CHARS_MAX = 46;

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= WHAT_CHARS_MAX ? line : `${line.slice(0, WHAT_CHARS_MAX - 1)}…`;
};

/** The most informative argument: what is read, written, searched or run. */
const targetOf = ({ tool_id, args }: ModelCall): string => {
  const { command, pattern, path } = args;
  if (tool_id === 'shell.run') return String(command);
  if (tool_id === 'fs.search') return `\`${String(pattern)}\`${typeof path === 'string' ? ` in ${path}` : ''}`;
  return typeof path === 'string' ? path : '.';
};

/** A call in one short line. */
export const describeCall = (call: ModelCall): string => shorten(`${call.tool_id} ${targetOf(call)}`);
