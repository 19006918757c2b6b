// SPDX-License-Identifier: Apache-2.0
import { JetStreamApiError, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { consumerConfigOf, streamConfigOf, type WorkLanes } from './lanes.ts';

/** What an answer of JetStream's API may take, in milliseconds; it is a matter of one or two. */
const apiTimeoutMs = 2_000;

/**
 * Makes the stream and consumers of the work lanes, and makes them again when they are gone. Only the process that
 * publishes on the lanes may do this: its user alone has the permissions.
 */
export class LaneKeeper {
  readonly #connection: NatsConnection;
  readonly #lanes: WorkLanes;
  #manager: Promise<JetStreamManager> | undefined;
  #underWay: Promise<void> | undefined;
  #generation = 0;

  constructor(connection: NatsConnection, lanes: WorkLanes) {
    this.#connection = connection;
    this.#lanes = lanes;
  }

  /** Grows each time the lanes were made or found complete. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Makes what is missing. Rebuilds everything when that fails: storage deleted under a running server can't be mended,
   * and a stream of an older version has another configuration. Calls at the same time share the work.
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
   * Deletes the stream with all it holds and makes it anew. A lane message is never the only copy, so this costs a
   * lease at most.
   */
  rebuild(): Promise<void> {
    return this.#once((manager) => this.#rebuild(manager));
  }

  #once(work: (manager: JetStreamManager) => Promise<void>): Promise<void> {
    this.#manager ??= jetstreamManager(this.#connection, { checkAPI: false, timeout: apiTimeoutMs });
    const manager = this.#manager;
    this.#underWay ??= manager.then(work).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #rebuild(manager: JetStreamManager): Promise<void> {
    await manager.streams.delete(this.#lanes.stream).catch((error: unknown) => {
      // Already gone is what was wanted; another failure shows in the next line.
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
