// SPDX-License-Identifier: Apache-2.0
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Process } from '@writ/contract';
import { inboxPrefixOf } from './permissions.ts';

export interface NatsAddress {
  /** `nats://host:port`, or several separated by commas. */
  readonly url: string;
  /** Also the user's name. */
  readonly process: Process;
  /** Absent where the server has no users: in tests. */
  readonly password?: string;
}

/**
 * Connects. A first connection that fails rejects: the process ends and whoever supervises it decides. A later one is
 * sought again for ever.
 */
export function connectNats({ url, process, password }: NatsAddress): Promise<NatsConnection> {
  return connect({
    servers: url.split(','),
    name: process,
    ...(password === undefined ? {} : { user: process, pass: password }),
    inboxPrefix: inboxPrefixOf(process),
    waitOnFirstConnect: false,
    timeout: 5_000,
    maxReconnectAttempts: -1,
    // A server that is being replaced may refuse users for a moment.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 100,
    // Keeps the replicas of a shard from redialling in lockstep after a restart of the server.
    reconnectJitter: 400,
    reconnectJitterTLS: 400,
    // Finds a dead peer within 15 s, that is within a lease.
    pingInterval: 5_000,
    maxPingOut: 2,
    // Requests would each capture a stack trace otherwise.
    noAsyncTraces: true,
  });
}
