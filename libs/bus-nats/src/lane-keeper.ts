// SPDX-License-Identifier: Apache-2.0
import { JetStreamApiError, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { consumerConfigOf, streamConfigOf, type WorkLanes } from './lanes.ts';

/** Timeout of a call of JetStream's API, in milliseconds; usually it takes one or two. */
const apiTimeoutMs = 2_000;

/**
 * Makes the stream and consumers of the work lanes, and makes them again when they are gone. Only the process that
 * publishes on the lanes may do this, since only its user has the permissions.
 */
export class LaneKeeper {
  readonly #connection: NatsConnection;
  readonly #lanes: WorkLanes;
  #manager: Promise<JetStreamManager> | undefined;
  #pending: Promise<void> | undefined;
  #generation = 0;

  constructor(connection: NatsConnection, lanes: WorkLanes) {
    this.#connection = connection;
    this.#lanes = lanes;
  }

  /** Increases each time the lanes were made or found complete. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Makes the parts that are missing. If that fails it rebuilds everything: storage deleted under a running server
   * can't be repaired, and a stream of an older version has another configuration. Concurrent calls share the work.
   */
  ensure(): Promise<void> {
    return this.#once(async (manager) => {
      try {
        await this.#make(manager);
      } catch (error) {
        if (!(error instanceof JetStreamApiError)) throw error;
        await this.#rebuild(manager);
      }
    });
  }

  /**
   * Deletes the stream with all its messages and makes it again. A lane message is never the only copy, so this costs a
   * lease at most.
   */
  rebuild(): Promise<void> {
    return this.#once((manager) => this.#rebuild(manager));
  }

  #once(work: (manager: JetStreamManager) => Promise<void>): Promise<void> {
    this.#manager ??= jetstreamManager(this.#connection, { checkAPI: false, timeout: apiTimeoutMs });
    const manager = this.#manager;
    this.#pending ??= manager.then(work).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #rebuild(manager: JetStreamManager): Promise<void> {
    await manager.streams.delete(this.#lanes.stream).catch((error: unknown) => {
      // If it is gone already, that is the wanted state; another failure shows in the next line.
      if (!(error instanceof JetStreamApiError)) throw error;
    });
    await this.#make(manager);
  }

  async #make(manager: JetStreamManager): Promise<void> {
    await manager.streams.add(streamConfigOf(this.#lanes));
    for (const lane of this.#lanes.lanes) await manager.consumers.add(this.#lanes.stream, consumerConfigOf(lane));
    this.#generation += 1;
  }
}
