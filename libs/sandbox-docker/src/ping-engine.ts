// SPDX-License-Identifier: Apache-2.0
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type Docker from 'dockerode';
import { EngineNotReady } from '@writ/sandbox-host';

/** The address of a client's requests, which the types of docker-modem lack. */
interface Address {
  readonly socketPath?: string | (() => Promise<string>);
  readonly host?: string;
  readonly port?: number | string;
  readonly protocol?: string;
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/**
 * Pings an engine over a new connection. The client keeps connections open. An older one would be answered although
 * this process may no longer open another, or another engine listens there now. Rejects with the network's error, and
 * with EngineNotReady for a refusal.
 */
export async function pingEngine(docker: Docker, signal: AbortSignal): Promise<void> {
  const { socketPath, host, port, protocol, ca, cert, key } = docker.modem as unknown as Address;
  const place =
    host === undefined
      ? { socketPath: typeof socketPath === 'function' ? await socketPath() : socketPath }
      : { host, port };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = protocol === 'https' ? requestHttps : requestHttp;
    const asked = request({ ...place, ca, cert, key, method: 'GET', path: '/_ping', agent: false, signal }, resolve);
    asked.once('error', reject).end();
  });
  const { statusCode = 0 } = answer;
  answer.destroy();
  if (statusCode === 200) return;
  const isDenied = statusCode === 401 || statusCode === 403;
  throw new EngineNotReady(isDenied ? 'denied' : 'failed', `the engine answers a ping with ${statusCode}`);
}
