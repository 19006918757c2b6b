// SPDX-License-Identifier: Apache-2.0
import type { Histogram, Meter } from './instruments/index.ts';

/** A pool of connections, as `pg` counts them. */
export interface CountedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max?: number | undefined };
}

/** Receives the duration of a wait for a connection, in milliseconds. */
type OnWait = (ms: number) => void;

/** Reports metrics of the connection pools of a process. */
export class ConnectionWatch {
  readonly #pools = new Map<string, CountedPool>();
  readonly #waits: Histogram<'db.client.connection.wait_time'>;

  constructor(meter: Meter) {
    this.#waits = meter.histogram('db.client.connection.wait_time');
    meter.observe(
      ['db.client.connection.count', 'db.client.connection.max', 'db.client.connection.pending_requests'],
      (observe) => {
        for (const [name, { totalCount, idleCount, waitingCount, options }] of this.#pools) {
          const pool = { 'db.client.connection.pool.name': name };
          observe('db.client.connection.count', idleCount, { ...pool, 'db.client.connection.state': 'idle' });
          observe('db.client.connection.count', totalCount - idleCount, {
            ...pool,
            'db.client.connection.state': 'used',
          });
          observe('db.client.connection.max', options.max ?? 0, pool);
          observe('db.client.connection.pending_requests', waitingCount, pool);
        }
      },
    );
  }

  /** Creates a pool that is reported under that name; `make` passes `onWait` on to the pool's options. */
  pool<P extends CountedPool>(name: string, make: (onWait: OnWait) => P): P {
    const pool = make((ms) => {
      this.#waits.record(ms / 1_000, { 'db.client.connection.pool.name': name });
    });
    this.#pools.set(name, pool);
    return pool;
  }
}
