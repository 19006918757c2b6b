// SPDX-License-Identifier: Apache-2.0

export const STEP_STATUSES = ['ok', 'failed', 'timeout', 'skipped', 'not_run'] as const;
/** skipped: an If or a goto passed it by. not_run: the script had ended. */
export type StepStatus = (typeof STEP_STATUSES)[number];

/** The outcome of one step. */
export interface StepResult {
  readonly verb: string;
  /** Its position in the script. */
  readonly pointer: string;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly durationMs: number;
  /** Its head, with a notice where something was cut. */
  readonly output: string;
  readonly error: string | null;
}

/** The outcome of a script. */
export interface ScriptResult {
  /** completed: it reached its end, also after failures that a goto or ContinueOnError handled. */
  readonly status: 'completed' | 'failed' | 'timeout';
  readonly all_succeeded: boolean;
  readonly steps: readonly StepResult[];
  readonly cleanup: readonly StepResult[];
  /** the text of the last ClipboardSet; null without one */
  readonly clipboard: string | null;
  readonly durationMs: number;
}

/** The head of a text, of at most that many bytes, without an incomplete character at its end. */
export function headOf(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}

/**
 * The head, with how much was cut where something was. `cutBefore` counts bytes after the text that it never contained.
 */
export function truncated(text: string, bytesMax: number, cutBefore = 0): string {
  const head = headOf(text, bytesMax);
  if (head.length === text.length && cutBefore === 0) return text;
  const all = Buffer.byteLength(text) + cutBefore;
  return `${head}\n[truncated: ${all - Buffer.byteLength(head)} of ${all} bytes were cut]`;
}
