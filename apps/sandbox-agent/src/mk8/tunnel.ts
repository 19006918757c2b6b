// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Longer than any message of the gate. */
const MESSAGE_BYTES_MAX = 4096;

/** A deadline, and a signal that ends the wait earlier. */
export interface Deadline {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Opens a connection through an HTTP proxy, by CONNECT (RFC 9110 §9.3.6).
 * @throws Error with the proxy's message where it refuses
 */
export async function openTunnel(proxy: URL, name: string, port: number, deadline: Deadline): Promise<Socket> {
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
  const { request } = await import('node:http');
  const connectRequest = request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: `${host}:${port}`,
    headers: { host },
    agent: false,
  });
  return await withDeadline(
    deadline,
    (error) => {
      connectRequest.destroy(error);
    },
    async () => {
      const { socket, head, status } = await new Promise<{ socket: Socket; head: Buffer; status: number }>(
        (resolve, reject) => {
          connectRequest.once('connect', ({ statusCode = 0 }, socket, rest) => {
            resolve({ socket: socket as Socket, head: rest, status: statusCode });
          });
          connectRequest.once('error', reject);
          connectRequest.end();
        },
      );
      if (status !== 200)
        throw new Error(
          gateMessage(`${head.toString('utf8')}${await textOf(socket, MESSAGE_BYTES_MAX)}`) ||
            `the gate answered ${status}`,
        );
      if (head.length > 0) socket.unshift(head);
      return socket;
    },
  );
}

/** The gate's message, in one line and without its prefix. */
export const gateMessage = (text: string): string =>
  text
    .replace(/^writ: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ');

/** Answers whether the error is the gate's, that the other side doesn't answer, or that the time is over. */
export const isUnreachable = ({ message }: Error): boolean => /^(?:egress\.failed: |no answer within )/.test(message);

/** The beginning of a stream's text; reads to its end or the bound. */
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

/** Runs an action that is aborted at its deadline or by its signal. */
export async function withDeadline<Answer>(
  { timeoutMs, signal }: Deadline,
  abort: (error: Error) => void,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = (why: string): void => {
    const error = new Error(why);
    abort(error);
    reject(error);
  };
  const timer = setTimeout(() => {
    stop(`no answer within ${timeoutMs / 1000} s`);
  }, timeoutMs);
  const aborted = (): void => {
    stop('the request was aborted');
  };
  signal?.addEventListener('abort', aborted, { once: true });
  try {
    return await Promise.race([act(), over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
  }
}
