// SPDX-License-Identifier: Apache-2.0
import { RunEvent } from '@writ/agent-loop';
import { Type, type Static } from 'typebox';

/** Why a run ended: the loop's reasons, and `failed`, which is no fault of the model's. */
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

/** The last event of every run: the loop's own say what happened, this one what came of it. */
export const RunEnded = Type.Object(
  { kind: Type.Literal('ended'), stopped: Type.Enum([...RUN_STOPPED]) },
  { additionalProperties: false },
);

/** An event as it is kept. */
export const KeptEvent = Type.Union([RunEvent, RunEnded]);
export type KeptEvent = Static<typeof KeptEvent>;

/** Events in order, read page by page as they are gone through: there may be more than memory is for. */
export type KeptEvents = AsyncIterable<KeptEvent>;

/** An event in its place. */
export interface RunEventRow {
  readonly seq: number;
  readonly at: number;
  readonly event: KeptEvent;
}
