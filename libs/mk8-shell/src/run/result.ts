// SPDX-License-Identifier: Apache-2.0

export const STEP_STATUSES = ['ok', 'failed', 'timeout', 'skipped', 'not_run'] as const;
/** skipped: an If or a goto passed it by. not_run: the script had ended. */
export type StepStatus = (typeof STEP_STATUSES)[number];

/** What became of one step. */
export interface StepResult {
  readonly verb: string;
  /** Where it stands in the script. */
  readonly pointer: string;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly durationMs: number;
  /** Its head, with a notice where something was cut. */
  readonly output: string;
  readonly error: string | null;
}

/** What became of a script. */
export interface ScriptResult {
  /** completed: it came to its end, failures that a goto or ContinueOnError took care of included. */
  readonly status: 'completed' | 'failed' | 'timeout';
  readonly all_succeeded: boolean;
  readonly steps: readonly StepResult[];
  readonly cleanup: readonly StepResult[];
  readonly durationMs: number;
}

/** The head of a text that is no longer than so many bytes, without half a character at its end. */
export function headOf(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}

/** The head, and how much was cut where something was. `cutBefore` bytes came behind the text and aren't in it. */
export function truncated(text: string, bytesMax: number, cutBefore = 0): string {
  const head = headOf(text, bytesMax);
  if (head.length === text.length && cutBefore === 0) return text;
  const all = Buffer.byteLength(text) + cutBefore;
  return `${head}\n[truncated: ${all - Buffer.byteLength(head)} of ${all} bytes were cut]`;
}
