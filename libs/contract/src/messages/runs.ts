// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';

const closed = { additionalProperties: false } as const;

/**
 * What streams of a run and is kept nowhere: a piece of text, a call as it is asked for and as it starts, a model that
 * is asked again.
 */
export const RUN_LIVE = ['text', 'asked', 'started', 'retry'] as const;

/** event `run`: how far the events of a run are kept, and what streams now. Who misses one reads the kept events. */
export const RunNews = Type.Object(
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
export type RunNews = Static<typeof RunNews>;
export type RunLive = RunNews['live'][number];
