// SPDX-License-Identifier: Apache-2.0
import { extractTrace, withSpan } from '@writ/telemetry';
import type { Entry } from '../log/entry.ts';

/**
 * Runs the work once and records a span for it in the trace of every record. A batch holds the records of many calls
 * and has the trace context of only one of them, so each record's own trace is used.
 */
export async function inTracesOf<T>(entries: readonly Entry[], work: () => Promise<T>): Promise<T> {
  const result = work();
  const spans = entries.flatMap(({ traceparent, phase }) =>
    traceparent === null
      ? []
      : [extractTrace({ traceparent }, () => withSpan('logged', { phase: phase ?? 'none' }, () => result))],
  );
  await Promise.allSettled(spans);
  return await result;
}
