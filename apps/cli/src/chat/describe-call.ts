// SPDX-License-Identifier: Apache-2.0
import type { OperationView } from '@writ/contract';
import { paint, paintState } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';

/** The arguments that describe a call best in one line, in order of preference. */
const DESCRIPTIVE_ARGS = ['command', 'path', 'url', 'pattern', 'query', 'key', 'title'] as const;
/** The width of a narrow window. */
const LINE_CHARS = 100;

const clipped = (text: string): string => (text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text);

/** A call in one line; with `whole`, its arguments follow below. All of it is attacker-controlled. */
export function callLine(toolId: string, args: unknown, withArgs: boolean): string {
  const head = paint.bold(visibleLine(toolId));
  if (withArgs) return `▸ ${head}\n${indented(JSON.stringify(args, null, 2))}`;
  const summary =
    DESCRIPTIVE_ARGS.map((name) => (args as Readonly<Record<string, unknown>> | null)?.[name]).find(
      (value) => typeof value === 'string',
    ) ?? JSON.stringify(args);
  return `▸ ${head} ${visibleLine(clipped(summary as string))}`;
}

/**
 * How the call ended: state and risk of the operation where it could be read, else the status that the model received.
 */
export function endLine(toolId: string, status: string, operation: OperationView | null): string {
  const mark = status === 'completed' ? paint.green('✔') : status === 'held' ? paint.magenta('‖') : paint.red('✘');
  const error = operation?.result?.error ?? null;
  const words =
    operation === null
      ? visibleLine(status)
      : `${paintState(operation.state)} ${paint.dim(`risk ${operation.risk_score} (${operation.autonomy_mode})`)}${error === null ? '' : ` ${paint.red(visibleLine(`${error.code}: ${error.message}`))}`}`;
  return `${mark} ${visibleLine(toolId)} ${words}`;
}

/** Indents the lines of a text. */
export const indented = (text: string): string =>
  visible(text)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
