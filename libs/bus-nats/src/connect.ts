// SPDX-License-Identifier: Apache-2.0
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf } from './permissions.ts';

export interface NatsAddress {
  /** `nats://host:port`, or several separated by commas. `tls://` refuses a server that doesn't encrypt. */
  readonly url: string;
  /** The user, called like its process; its inbox is named after it. */
  readonly user: string;
  /** Absent where the server has no users: in tests. */
  readonly password?: string;
  /** whether what this connection publishes comes back to its own subscriptions; true unless said */
  readonly echo?: boolean;
}

/**
 * Connects. A first connection that fails rejects: the process ends and whoever supervises it decides. A later one is
 * sought again for ever.
 */
export function connectNats({ url, user, password, echo }: NatsAddress): Promise<NatsConnection> {
  return connect({
    servers: url.split(',').map((server) => server.trim().replace(/^(nats|tls):\/\//, '')),
    ...(url.startsWith('tls://') ? { tls: {} } : {}),
    name: user,
    ...(password === undefined ? {} : { user, pass: password }),
    inboxPrefix: inboxPrefixOf(user),
    noEcho: echo === false,
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
