// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf } from './permissions.ts';

export interface NatsAddress {
  /** `nats://host:port`, or several separated by commas. `tls://` refuses a server that doesn't encrypt. */
  readonly url: string;
  /** The user, named like its process. Its inbox has the same name. */
  readonly user: string;
  /** Absent where the server has no users: in tests. */
  readonly password?: string;
  /** PEM file of the authorities that the server's certificate must be signed by; only with `tls://` */
  readonly caFile?: string;
  /** Whether this connection's own subscriptions receive what it publishes; true by default. */
  readonly echo?: boolean;
}

/**
 * Connects. If the first connection fails, it rejects: the process ends, and its supervisor decides what follows. A
 * later loss is retried without end. It rejects too for a CA file that cannot be read, or one without `tls://`.
 */
export async function connectNats({ url, user, password, caFile, echo }: NatsAddress): Promise<NatsConnection> {
  const isEncrypted = url.startsWith('tls://');
  if (caFile !== undefined && !isEncrypted) {
    throw new Error(
      'a CA file for NATS is given (WRIT_NATS_CA_FILE), so its address (WRIT_NATS_URL) must begin with tls://',
    );
  }
  return await connect({
    servers: url.split(',').map((server) => server.trim().replace(/^(nats|tls):\/\//, '')),
    ...(isEncrypted ? { tls: caFile === undefined ? {} : { ca: authorities(caFile) } } : {}),
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
    // Otherwise each request would capture a stack trace.
    noAsyncTraces: true,
  });
}

function authorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`the CA file of NATS, \`${file}\` (WRIT_NATS_CA_FILE), cannot be read`, { cause });
  }
}
