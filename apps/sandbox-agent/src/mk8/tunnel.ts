// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** What a gate has to say fits. */
const WORDS_BYTES_MAX = 4096;

/** When something has to be over, and what says that it is sooner. */
export interface Until {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A connection through a proxy of HTTP, by CONNECT (RFC 9110 §9.3.6).
 * @throws Error with the proxy's words where it says no
 */
export async function openTunnel(proxy: URL, name: string, port: number, until: Until): Promise<Socket> {
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
  const { request } = await import('node:http');
  const asked = request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: `${host}:${port}`,
    headers: { host },
    agent: false,
  });
  return await within(
    until,
    (error) => {
      asked.destroy(error);
    },
    async () => {
      const { socket, head, status } = await new Promise<{ socket: Socket; head: Buffer; status: number }>(
        (resolve, reject) => {
          asked.once('connect', ({ statusCode = 0 }, socket, rest) => {
            resolve({ socket: socket as Socket, head: rest, status: statusCode });
          });
          asked.once('error', reject);
          asked.end();
        },
      );
      if (status !== 200)
        throw new Error(
          gateWords(`${head.toString('utf8')}${await textOf(socket, WORDS_BYTES_MAX)}`) ||
            `the gate answered ${status}`,
        );
      if (head.length > 0) socket.unshift(head);
      return socket;
    },
  );
}

/** What the gate says, in one line and without its name. */
export const gateWords = (text: string): string =>
  text
    .replace(/^writ: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ');

/** The beginning of what a stream says until its end. */
async function textOf(stream: Readable, bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length >= bytesMax) break;
  }
  return Buffer.concat(parts).subarray(0, bytesMax).toString('utf8');
}

/** Does something that is broken off when its time is over, or a signal says so. */
export async function within<Answer>(
  { timeoutMs, signal }: Until,
  breakOff: (error: Error) => void,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = (why: string): void => {
    const error = new Error(why);
    breakOff(error);
    reject(error);
  };
  const timer = setTimeout(() => {
    stop(`no answer within ${timeoutMs / 1000} s`);
  }, timeoutMs);
  const aborted = (): void => {
    stop('it was broken off');
  };
  signal?.addEventListener('abort', aborted, { once: true });
  try {
    return await Promise.race([act(), over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
  }
}
