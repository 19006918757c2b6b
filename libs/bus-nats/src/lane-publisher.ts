// SPDX-License-Identifier: Apache-2.0
import { JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import { Fault } from '@writ/contract';
import type { LaneKeeper } from './lane-keeper.ts';
import { laneMessageBytesMax, type WorkLanes } from './lanes.ts';

/** JetStream's error code for a message that it couldn't write. */
const storeFailed = 10_077;
/** Timeout for the server to accept a message, in milliseconds; 0.2 is usual. */
const acceptMs = 2_000;

/** Puts messages into work lanes, and repairs the lanes where that fails. */
export class LanePublisher {
  readonly #jetstream: JetStreamClient;
  readonly #lanes: WorkLanes;
  readonly #keeper: LaneKeeper | undefined;

  constructor(client: JetStreamClient, lanes: WorkLanes, keeper: LaneKeeper | undefined) {
    this.#jetstream = client;
    this.#lanes = lanes;
    this.#keeper = keeper;
  }

  /**
   * Resolves when the lane has stored the message. After a first failure it repairs the lane and tries again; a second
   * failure is Fault `bus.unreachable`.
   */
  async publish(lane: string, bytes: Uint8Array, messageId: string, headers: MsgHdrs): Promise<void> {
    if (bytes.byteLength > laneMessageBytesMax)
      throw new Fault('request.too_large', `a message of a work lane has at most ${laneMessageBytesMax} bytes`);
    const generation = this.#keeper?.generation;
    // The stream's name guards against a subject that another stream has taken over.
    const options = { msgID: messageId, headers, timeout: acceptMs, expect: { streamName: this.#lanes.stream } };
    try {
      await this.#jetstream.publish(lane, bytes, options);
    } catch (error) {
      try {
        await this.#repair(error, generation);
        await this.#jetstream.publish(lane, bytes, options);
      } catch (cause) {
        throw new Fault('bus.unreachable', `the work lane \`${lane}\` accepts no messages`, { cause });
      }
    }
  }

  async #repair(error: unknown, generation: number | undefined): Promise<void> {
    if (this.#keeper === undefined) throw error;
    // Another publish has repaired the lane meanwhile. Repairing it again would lose the messages published since.
    if (this.#keeper.generation !== generation) return;
    // The stream answered and couldn't write: its files are gone or broken, and can't be repaired in place.
    if (error instanceof JetStreamApiError && error.code === storeFailed) await this.#keeper.rebuild();
    else await this.#keeper.ensure();
  }
}
