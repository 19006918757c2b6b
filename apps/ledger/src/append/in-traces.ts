// SPDX-License-Identifier: Apache-2.0
import { extractTrace, withSpan } from '@writ/telemetry';
import type { Entry } from '../log/entry.ts';

/**
 * Does the work once and shows it in the trace of every record. A batch holds the records of many calls and travels in
 * the context of one of them, so each is asked of its own record.
 */
export async function inTracesOf<T>(entries: readonly Entry[], work: () => Promise<T>): Promise<T> {
  const done = work();
  const shown = entries.flatMap(({ traceparent, phase }) =>
    traceparent === null
      ? []
      : [extractTrace({ traceparent }, () => withSpan('logged', { phase: phase ?? 'none' }, () => done))],
  );
  await Promise.allSettled(shown);
  return await done;
}
