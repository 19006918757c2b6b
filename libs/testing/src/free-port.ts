// SPDX-License-Identifier: Apache-2.0
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range of ephemeral ports (Linux: from 32768, IANA: from 49152), so no connection gets the port while nobody
 * listens on it.
 */
const [LOWEST, HIGHEST] = [15_000, 32_000];
const TRIES = 100;

/**
 * A port of the loopback interface that is free. It is random, so two concurrent callers rarely get the same one.
 * @throws Error where a hundred ports are in use
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port was found');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
