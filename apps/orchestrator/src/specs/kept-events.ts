// SPDX-License-Identifier: Apache-2.0
import type { KeptEvents, RunEventRow } from '../store/sessions/run-events.ts';

/** The events of the rows, as a store tells them. */
export async function* told(rows: readonly RunEventRow[]): KeptEvents {
  for (const { event } of [...rows]) yield event;
}
