// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { dialThrough } from '@writ/nest-kit';
import { DeliveryError } from './delivery-error.ts';
import type { PinnedTarget } from './egress-gate.ts';
import { bareHost } from './webhook-url.ts';

/**
 * Opens a connection to a pinned target, without TLS: for protocols other than HTTP.
 * @throws DeliveryError `connect.failed`, or `timeout` when `signal` aborts
 */
export async function dial(target: PinnedTarget, port: number, signal: AbortSignal): Promise<Socket> {
  const { url, address, proxy } = target;
  try {
    if (proxy !== null)
      return await dialThrough(proxy, { host: bareHost(url), address, port, tlsHost: null, raw: true }, signal);
    return await dialDirectly(target.address, port, signal);
  } catch (cause) {
    throw new DeliveryError(signal.aborted ? 'timeout' : 'connect.failed', { cause });
  }
}

async function dialDirectly(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}
