// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../problem.ts';
import { truncated, type ScriptResult, type StepResult } from './result.ts';

/** The outcome of a step, as in results of calls. */
export interface StepReport {
  readonly verb: string;
  readonly pointer: string;
  readonly status: StepResult['status'];
  readonly attempts: number;
  readonly duration_ms: number;
  readonly output: string;
  readonly error: string | null;
}

/** The outcome of a script that ran. */
export interface RanReport {
  readonly status: ScriptResult['status'];
  readonly all_succeeded: boolean;
  readonly steps: readonly StepReport[];
  readonly cleanup: readonly StepReport[];
  /** the text of the last ClipboardSet; absent without one */
  readonly clipboard?: string;
  readonly duration_ms: number;
  /** steps that did not fit */
  readonly omitted_steps: number;
}

/** refused: it doesn't compile, and nothing ran. */
export type ScriptReport = RanReport | { readonly status: 'refused'; readonly problems: readonly Problem[] };

/**
 * A result that takes at most that many bytes as JSON. Where outputs and errors are too long together, all of them are
 * cut to the same length, so that only long ones are cut. The last steps are omitted only where even steps without any
 * text don't fit.
 */
export function reportOf(result: ScriptResult, bytesMax: number): RanReport {
  const all = result.steps.length + result.cleanup.length;
  const longest = Math.max(
    Buffer.byteLength(result.clipboard ?? ''),
    ...[...result.steps, ...result.cleanup].flatMap(({ output, error }) => [
      Buffer.byteLength(output),
      Buffer.byteLength(error ?? ''),
    ]),
  );
  const fits = (report: RanReport): boolean => Buffer.byteLength(JSON.stringify(report)) <= bytesMax;
  const whole = cutTo(result, longest, all);
  if (fits(whole)) return whole;
  const chars = mostThat(longest, (most) => fits(cutTo(result, most, all)));
  if (chars !== null) return cutTo(result, chars, all);
  return cutTo(result, 0, mostThat(all, (count) => fits(cutTo(result, 0, count))) ?? 0);
}

/** The largest number, up to a maximum, for which a monotonic condition holds; null where it holds for none. */
function mostThat(most: number, holds: (count: number) => boolean): number | null {
  let [low, high] = [-1, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low < 0 ? null : low;
}

function cutTo(
  { status, all_succeeded, steps, cleanup, clipboard, durationMs }: ScriptResult,
  bytes: number,
  count: number,
): RanReport {
  const reported = [...steps, ...cleanup].slice(0, count).map((step) => stepReport(step, bytes));
  return {
    status,
    all_succeeded,
    steps: reported.slice(0, steps.length),
    cleanup: reported.slice(steps.length),
    ...(clipboard === null ? {} : { clipboard: truncated(clipboard, bytes) }),
    duration_ms: durationMs,
    omitted_steps: steps.length + cleanup.length - reported.length,
  };
}

const stepReport = (
  { verb, pointer, status, attempts, durationMs, output, error }: StepResult,
  bytes: number,
): StepReport => ({
  verb,
  pointer,
  status,
  attempts,
  duration_ms: durationMs,
  output: truncated(output, bytes),
  error: error === null ? null : truncated(error, bytes),
});
