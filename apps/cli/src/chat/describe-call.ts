// SPDX-License-Identifier: Apache-2.0
import type { OperationView } from '@writ/contract';
import { paint, paintState } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';

/** What of a call's arguments says most in one line, the first that is there. */
const TELLING = ['command', 'path', 'url', 'pattern', 'query', 'key', 'title'] as const;
/** As much of a line as a narrow window has. */
const LINE_CHARS = 100;

const clipped = (text: string): string => (text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text);

/** A call in a line; with `whole` its arguments below it. All of it is attacker-controlled. */
export function callLine(toolId: string, args: unknown, whole: boolean): string {
  const head = paint.bold(visibleLine(toolId));
  if (whole) return `▸ ${head}\n${indented(JSON.stringify(args, null, 2))}`;
  const said =
    TELLING.map((name) => (args as Readonly<Record<string, unknown>> | null)?.[name]).find(
      (value) => typeof value === 'string',
    ) ?? JSON.stringify(args);
  return `▸ ${head} ${visibleLine(clipped(said as string))}`;
}

/** What became of it: its state and risk where the operation could be read, else how the model was told it stands. */
export function endLine(toolId: string, standing: string, operation: OperationView | null): string {
  const mark = standing === 'completed' ? paint.green('✔') : standing === 'held' ? paint.magenta('‖') : paint.red('✘');
  const error = operation?.result?.error ?? null;
  const words =
    operation === null
      ? visibleLine(standing)
      : `${paintState(operation.state)} ${paint.dim(`risk ${operation.risk_score} (${operation.autonomy_mode})`)}${error === null ? '' : ` ${paint.red(visibleLine(`${error.code}: ${error.message}`))}`}`;
  return `${mark} ${visibleLine(toolId)} ${words}`;
}

/** Lines below another one. */
export const indented = (text: string): string =>
  visible(text)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
