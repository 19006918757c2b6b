// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const Count = Type.Integer({ minimum: 0 });

/** Most executors in a report, those that were seen last. */
export const REPORTED_EXECUTORS_MAX = 200;

const Lanes = (description: string) => Type.Record(Type.String(), Count, { description });
/** A pool of connections of one process. */
export const PoolReport = Type.Object(
  {
    connections_max: Count,
    connections: Type.Integer({ minimum: 0, description: 'that are open' }),
    idle: Type.Integer({ minimum: 0, description: 'of those, the ones that nobody uses' }),
    waiting: Type.Integer({ minimum: 0, description: 'requests that wait for one' }),
  },
  closed,
);
export type PoolReport = Static<typeof PoolReport>;

/** What one replica of the kernel and the database say about the installation. */
export const SystemReport = Type.Object(
  {
    version: Type.String({ description: 'of the replica of the kernel that answered' }),
    now: Type.Integer({ minimum: 0, description: "of that replica's clock, in milliseconds since the epoch" }),
    pools: Type.Record(Type.String(), PoolReport),
    database: Type.Object(
      {
        version: Type.String(),
        now: Type.Integer({ minimum: 0, description: "of the database's clock, when the report was made" }),
        connections_max: Count,
        settings: Type.Record(Type.String(), Type.String(), {
          description: 'the settings that a COMMIT needs to survive a power cut',
        }),
        durable: Type.Boolean({ description: 'whether these settings let every COMMIT survive a power cut' }),
      },
      closed,
    ),
    outbox: Type.Object(
      {
        rows: Type.Integer({ minimum: 0, description: 'records that wait for the ledger; counted to 10,001' }),
        oldest_at: orNull(Instant),
      },
      closed,
    ),
    executors: Type.Array(
      Type.Object(
        {
          executor_id: idSchema('executor'),
          slots: Lanes('the most calls that it has had room for, by lane'),
          free: Lanes('calls that it has room for now, by lane'),
          seen_ms_ago: Count,
        },
        closed,
      ),
      { description: 'executors that this replica heard of within seconds' },
    ),
    migrations: Type.Array(Type.Object({ schema: Type.String(), name: Type.String(), applied_at: Instant }, closed), {
      description: "of the kernel's schema, oldest first",
    }),
  },
  closed,
);
export type SystemReport = Static<typeof SystemReport>;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const SYSTEM_REQUESTS = {
  /** → SystemReport; only for the platform key */
  'system.report': Type.Object({ v: Type.Literal(1), caller: Type.Null() }, closed),
} as const;
