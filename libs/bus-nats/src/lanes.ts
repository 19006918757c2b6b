// SPDX-License-Identifier: Apache-2.0
import { type ConsumerConfig, type StreamConfig } from '@nats-io/jetstream';
import { LANES, subjectsOf } from '@writ/contract';

/** The work lanes of a shard: one stream, and in it a subject and a durable consumer for each lane. */
export interface WorkLanes {
  readonly stream: string;
  readonly lanes: readonly { readonly subject: string; readonly durable: string }[];
  /** servers of a cluster that hold the stream; with one, waiting work stops while that server is down */
  readonly replicas: number;
}

const second = 1_000_000_000;

/** Limit on a lane message without its headers, in bytes. A permit has at most 4 KiB. */
export const laneMessageBytesMax = 16_384;

/**
 * Names the stream and the consumers of a shard. A lane's consumer has the lane's name.
 *
 * @param replicas servers that hold the stream; only the process that makes the stream passes it
 */
export function workLanesOf(shard: string, replicas = 1): WorkLanes {
  const subjects = subjectsOf(shard);
  return {
    stream: subjects.workStream,
    lanes: LANES.map((lane) => ({ subject: subjects.work(lane), durable: lane })),
    replicas,
  };
}

/** The configuration of the stream. JetStream has durations in nanoseconds. */
export function streamConfigOf({ stream, lanes, replicas }: WorkLanes): Partial<StreamConfig> & { name: string } {
  return {
    name: stream,
    subjects: lanes.map(({ subject }) => subject),
    retention: 'workqueue',
    storage: 'file',
    discard: 'old',
    // Twice a permit's 30 s: older messages can't be redeemed. Poison messages that exceeded their deliveries expire
    // too.
    max_age: 60 * second,
    // A message whose acknowledgement was lost is published again within four seconds.
    duplicate_window: 10 * second,
    // A permit is at most 4 KiB, and outstanding ones are at most twice the free slots. This is reached only when no
    // worker consumes.
    max_bytes: 67_108_864,
    // The message and its headers.
    max_msg_size: laneMessageBytesMax + 8_192,
    num_replicas: replicas,
  };
}

/** The configuration of a lane's consumer. */
export function consumerConfigOf(lane: WorkLanes['lanes'][number]): Partial<ConsumerConfig> {
  return {
    durable_name: lane.durable,
    filter_subject: lane.subject,
    ack_policy: 'explicit',
    deliver_policy: 'all',
    // A worker acks after redemption, within milliseconds; a dead one's messages go to another well within the permit's
    // 30 s.
    ack_wait: 5 * second,
    // The kernel retries, not the lane: this bounds the damage of a message that kills its worker.
    max_deliver: 3,
    // Outstanding messages are bounded by the workers' slots already.
    max_ack_pending: 10_000,
    // Pulls that wait at once: one per lane and executor of a shard.
    max_waiting: 512,
  };
}
