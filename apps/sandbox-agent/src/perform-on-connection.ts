// SPDX-License-Identifier: Apache-2.0
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { cannotStart, type JobOrder } from '@writ/sandbox';
import type { BoundedOutput } from './bounded-output.ts';
import { drainPipe, drainStream } from './drain.ts';
import {
  awaitExit,
  isDirectory,
  preferForOomKill,
  reportNotStarted,
  startProcess,
  type Exit,
  type JobEnvironment,
} from './perform.ts';

/** The end of the error stream, which says why a program ended. */
const LAST_BYTES = 8 * 1024;
/** Once the program has ended, what it wrote last is passed on within this time, or lost. */
const REST_MS = 2_000;

/**
 * Runs a program whose standard input and output are a connection, until it ends. INVARIANT (waits as at a pipe): the
 * agent reads no more of the program than the connection takes, so that what nobody reads is nowhere kept. Of the error
 * stream it keeps the last bytes, which it sends at the end, so that a program that writes there all the time costs its
 * own container alone.
 */
export async function performOnConnection(
  order: JobOrder,
  connection: Duplex,
  { root, pipes, endAll }: JobEnvironment,
  output: BoundedOutput,
): Promise<Exit> {
  const cwd = join(root, order.cwd);
  if (!isDirectory(cwd)) return reportNotStarted(`the working directory \`${order.cwd}\` is not there\n`, output);
  const child = startProcess(order, cwd, ['pipe', 'pipe', pipes?.stderr.jobFd ?? 'pipe']);
  if (pipes) for (const fd of [pipes.stdout.agentFd, pipes.stdout.jobFd, pipes.stderr.jobFd]) closeSync(fd);
  if (typeof child === 'string') return reportNotStarted(cannotStart(child), output);
  preferForOomKill(child);
  const { stdin, stdout } = child;
  // A program that has closed its input still answers. One whose caller is gone reads the end of it.
  stdin?.on('error', () => undefined);
  connection.on('error', () => stdin?.end());
  if (stdin) connection.pipe(stdin);
  stdout?.pipe(connection);
  const last = new LastBytes();
  const take = (bytes: Buffer): void => last.push(bytes);
  const drained = pipes ? drainPipe(pipes.stderr, take) : drainStream(child.stderr, take);
  const exit = await awaitExit(child, order.timeout_ms, endAll, output);
  await Promise.race([Promise.all([drained, wasRead(stdout), wasPassedOn(connection)]), soon()]);
  const words = last.bytes();
  if (words.length > 0) output.push('stderr', words);
  return exit;
}

/** Resolves when all of a stream was read, or when it broke off. */
const wasRead = (stream: Readable | null): Promise<void> =>
  stream === null || stream.destroyed || stream.readableEnded ? Promise.resolve() : oneOf(stream, ['end', 'close']);

/** Resolves when all that was written to a connection was passed on, or when it broke off. */
const wasPassedOn = (connection: Duplex): Promise<void> =>
  connection.destroyed || connection.writableFinished ? Promise.resolve() : oneOf(connection, ['finish', 'close']);

function oneOf(stream: Readable | Duplex, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const event of events) stream.once(event, () => resolve());
  });
}

const soon = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, REST_MS).unref();
  });

/** The last bytes of a stream. */
class LastBytes {
  #kept: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): void {
    // A copy: the bytes are valid only during the call.
    this.#kept = Buffer.concat([this.#kept, bytes]).subarray(-LAST_BYTES);
  }

  bytes(): Buffer {
    return this.#kept;
  }
}
