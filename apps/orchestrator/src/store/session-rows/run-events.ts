// SPDX-License-Identifier: Apache-2.0
import { RunEvent } from '@writ/agent-loop';
import { Type, type Static } from 'typebox';

/** Why a run ended: the agent loop's reasons, and `failed`, which the model did not cause. */
export const RUN_STOPPED = [
  'end',
  'limit',
  'length',
  'refusal',
  'malformed',
  'budget',
  'cancelled',
  'model_failed',
  'failed',
] as const;
export type RunStopped = (typeof RUN_STOPPED)[number];

/** The last event of every run, with the reason for its end. All other events come from the agent loop. */
export const RunEnded = Type.Object(
  { kind: Type.Literal('ended'), stopped: Type.Enum([...RUN_STOPPED]) },
  { additionalProperties: false },
);

/** An event as it is stored. */
export const KeptEvent = Type.Union([RunEvent, RunEnded]);
export type KeptEvent = Static<typeof KeptEvent>;

/** Events in order, read page by page during iteration, because all of them may not fit in memory. */
export type KeptEvents = AsyncIterable<KeptEvent>;

/** An event with its position. */
export interface RunEventRow {
  readonly seq: number;
  readonly at: number;
  readonly event: KeptEvent;
}
