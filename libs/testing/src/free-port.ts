// SPDX-License-Identifier: Apache-2.0
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the range of ephemeral ports (Linux: from 32768, IANA: from 49152), so no connection gets the port while nobody
 * listens on it.
 */
const [LOWEST, HIGHEST] = [15_000, 32_000];
const TRIES = 100;

/** An empty file for each port that was given to a caller lately, for all processes of this machine. */
const CLAIMS = join(tmpdir(), 'writ-test-ports');
/** How long nobody else gets the port, in milliseconds: whoever asked for it listens by then. */
const CLAIM_MS = 300_000;

/**
 * A port of the loopback interface that is free, and that no other caller gets for some minutes. A check of the tests
 * starts about a hundred stacks with several ports each: by chance alone, one in ten runs gave a port twice.
 * @throws Error where a hundred ports are in use
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (claim(port) && (await isFree(port))) return port;
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

function claim(port: number): boolean {
  const file = join(CLAIMS, String(port));
  mkdirSync(CLAIMS, { recursive: true });
  if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - CLAIM_MS)
    rmSync(file, { force: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
