// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { dialDirectly, dialThrough } from '@writ/nest-kit';
import { DeliveryError } from './delivery-error.ts';
import type { PinnedTarget } from './egress-gate.ts';
import { bareHost } from './webhook-url.ts';

/**
 * Opens a connection to a pinned target, without TLS: for protocols other than HTTP.
 * @throws DeliveryError `connect.failed`, or `timeout` when `signal` aborts
 */
export async function dial({ url, address, proxy }: PinnedTarget, port: number, signal: AbortSignal): Promise<Socket> {
  const to = { host: bareHost(url), address, port, tlsHost: null };
  try {
    return proxy === null ? await dialDirectly(to, signal) : await dialThrough(proxy, to, signal);
  } catch (cause) {
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  }
}
