// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

/** The newest bytes of a running command's output that are kept for those who watch it. */
export const WATCHED_BYTES_MAX = 128 * 1024;
/** Bytes in one message; base64 makes a third more of them. */
export const OUTPUT_PIECE_BYTES_MAX = 48 * 1024;
/** An executor answers within this time, with an empty piece if there is nothing new, in milliseconds. */
export const WATCH_HELD_MS = 1_000;

const WatchId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'of the process that asks, for one call' });

/**
 * orchestrator → executors, event `watch`: the executor that runs the call answers once with the output from `from` on.
 * A lost message costs the next one, which the asker sends when no answer has come.
 */
export const WatchEvent = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    operation_id: idSchema('operation'),
    watch_id: WatchId,
    attempt: orNull(Type.Integer({ minimum: 1, description: 'the attempt that `from` is about; null: none yet' })),
    from: Type.Integer({ minimum: 0, description: 'how many bytes of its output the asker has seen' }),
  },
  closed,
);
export type WatchEvent = Static<typeof WatchEvent>;

/** executor → orchestrator, event `output`: a piece of a running command's output. */
export const OutputEvent = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    operation_id: idSchema('operation'),
    watch_id: WatchId,
    executor_id: idSchema('executor'),
    attempt: Type.Integer({ minimum: 1 }),
    from: { ...Count, description: 'position of the first byte; later than asked where older ones are not kept' },
    bytes: Type.String({ maxLength: 96 * 1024, description: 'base64' }),
    output_bytes: { ...Count, description: 'size of the output so far' },
    withheld: Type.Boolean({ description: 'a call with secrets shows no output while it runs' }),
    closed: Type.Boolean({ description: 'the command is over' }),
  },
  closed,
);
export type OutputEvent = Static<typeof OutputEvent>;
