// SPDX-License-Identifier: Apache-2.0
import type { KeptEvents, RunEventRow } from '../store/session-rows/run-events.ts';

/** The events of the rows, as a store yields them. */
export async function* eventsOf(rows: readonly RunEventRow[]): KeptEvents {
  for (const { event } of [...rows]) yield event;
}
