// SPDX-License-Identifier: Apache-2.0
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type Docker from 'dockerode';
import { EngineNotReady } from '@writ/sandbox-host';

/** Where a client's requests go. The types of docker-modem leave that out. */
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
 * Pings an engine over a connection of its own. The client keeps connections open, and one that was opened before would
 * be answered though this process may not open another, or another engine stands there now. Rejects with the network's
 * error, and with EngineNotReady where the answer is a refusal.
 */
export async function pingAfresh(docker: Docker, signal: AbortSignal): Promise<void> {
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
