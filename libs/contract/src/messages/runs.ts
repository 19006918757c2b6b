// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';

const closed = { additionalProperties: false } as const;

/**
 * Streamed parts of a run that are not stored: a piece of text, a requested call, a started call, a retry of the model.
 */
export const RUN_LIVE = ['text', 'asked', 'started', 'retry'] as const;

/**
 * Event `run`: how many events of a run are stored, and its current stream. A process that misses one reads the stored
 * events.
 */
export const RunUpdate = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    run_id: idSchema('run'),
    seq: Type.Integer({ minimum: 0 }),
    live: Type.Array(
      Type.Object({ event: Type.Enum([...RUN_LIVE]), data: Type.Record(Type.String(), Type.Unknown()) }, closed),
    ),
  },
  closed,
);
export type RunUpdate = Static<typeof RunUpdate>;
export type RunLive = RunUpdate['live'][number];
