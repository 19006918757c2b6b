// SPDX-License-Identifier: Apache-2.0
import type { BusDependencies } from '@writ/bus';
import type { Process } from '@writ/contract';
import { workLanesOf } from './lanes.ts';
import { natsBus, type NatsBus } from './nats-bus.ts';

export interface ProcessBusOptions extends Partial<BusDependencies> {
  readonly url: string;
  readonly shard: string;
  /** the process's name by default */
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** see `NatsAddress` */
  readonly caFile: string | undefined;
}

/**
 * Connects a process to its shard's bus. The kernel publishes on the work lanes, so it also makes them. Rejects when
 * the first connection fails.
 */
export function processBus(
  process: Process,
  { url, shard, user, password, caFile, ...surroundings }: ProcessBusOptions,
): Promise<NatsBus> {
  return natsBus({
    url,
    user: user ?? process,
    ...(password === undefined ? {} : { password }),
    ...(caFile === undefined ? {} : { caFile }),
    lanes: workLanesOf(shard),
    keepsLanes: process === 'kernel',
    ...surroundings,
  });
}
