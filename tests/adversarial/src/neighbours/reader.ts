// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { makeWorld, runMark, type SharedStack, type World } from '@writ/stack';

const PROGRAM = fileURLToPath(new URL('programs/reading.mjs', import.meta.url));
/** Milliseconds between two calls: five a second. */
const EVERY_MS = 200;
/** Longest wait for a call; a longer one has failed this test already. */
const CALL_MS = 50_000;

/** One call of the other tenant. `sentAt` is in milliseconds since the epoch; `ms` is how long its answer took. */
export interface Reading {
  readonly sentAt: number;
  readonly ms: number;
  readonly isRight: boolean;
  readonly operationId: string | null;
}

/** The other tenant: a process that reads a small file at an even rate. */
export class Reader {
  readonly world: World;
  readonly readings: Reading[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;

  static async open(stack: SharedStack): Promise<Reader> {
    return new Reader(await makeWorld(stack.url, stack.keys.platformKey, { files: { 'small.txt': 'one\n' } }));
  }

  private constructor(world: World) {
    this.world = world;
    const { url, key } = world.agent;
    const body = {
      tool_id: 'fs.read',
      args: { path: 'small.txt' },
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
    };
    const given = JSON.stringify({ url, key, body, everyMs: EVERY_MS, callMs: CALL_MS });
    this.#child = spawn(process.execPath, [PROGRAM, given], {
      env: { ...runMark() },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface(this.#child.stdout).on('line', (line) => {
      this.readings.push(JSON.parse(line) as Reading);
    });
    this.#ended = once(this.#child, 'close');
  }

  /** Resolves when the last call was answered. */
  async stop(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  /** Ends it at once, with calls in flight. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Latencies of the calls that were sent within a time span, in milliseconds. */
  between({ from, to }: Span): number[] {
    return this.readings.filter(({ sentAt }) => sentAt >= from && sentAt < to).map(({ ms }) => ms);
  }
}

/** A time span, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The 99th percentile; the maximum where there are fewer than 100. */
export function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
