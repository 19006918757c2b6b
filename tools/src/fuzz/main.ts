// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz`: fuzzes the parser and the compiler of mk8.shell. Exits with 1 and the input that violated a property,
// never ended, or made memory grow.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { checkout } from '../setup.ts';
import { SHARED_BYTES, type Found, type FuzzOrder, type Progress } from './messages.ts';

const MINUTE = '60';
/** The longest wall time of one input: longer than the allowed processor time takes on a busy machine. */
const HANG_MS = 60_000;
/**
 * The allowed growth of memory from a quarter of the time to the end. A leak per input adds up to far more over some
 * ten thousand.
 */
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Resolves with the worker's finding, or with the input that never ended. */
function fuzz(order: FuzzOrder): Promise<Found> {
  const worker = new Worker(new URL('fuzz-worker.ts', import.meta.url), {
    workerData: order,
    execArgv: ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning'],
  });
  const count = new Int32Array(order.shared, 0, 2);
  return new Promise((resolve, reject) => {
    let [last, since] = [0, performance.now()];
    const watch = setInterval(() => {
      const now = Atomics.load(count, 0);
      if (now !== last) [last, since] = [now, performance.now()];
      else if (now > 0 && performance.now() - since > HANG_MS) {
        const input = new TextDecoder().decode(new Uint8Array(order.shared, 8, count[1]).slice());
        resolve({ kind: 'broken', executions: now, input, error: `it didn't come to an end in ${HANG_MS / 1000} s` });
        void worker.terminate();
      }
    }, 1_000);
    worker.on('message', (message: Progress | Found) => {
      if (message.kind !== 'progress') return resolve(message);
      const { executions, blocks, kinds, kept, slowestMs } = message;
      print(
        `${executions} inputs, ${blocks} blocks, ${kinds} kinds of answers, ${kept} kept, slowest ${slowestMs.toFixed(0)} ms`,
      );
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      clearInterval(watch);
      reject(new Error('the fuzzing thread ended without a word'));
    });
  });
}

/** Saves the failing input, and prints its path. */
function keepInput(input: string): string {
  const folder = join(checkout, '.writ', 'fuzz');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `broken-${Date.now()}.json`);
  writeFileSync(file, input);
  return file;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: MINUTE }, seed: { type: 'string' } } });
  const [seconds, seed] = [Number(values.seconds), Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))];
  if (!(seconds > 0) || !Number.isInteger(seed))
    throw new Error('`--seconds` takes a number above 0, `--seed` a whole number');
  print(`for ${seconds} s from seed ${seed}`);
  const found = await fuzz({ seconds, seed, shared: new SharedArrayBuffer(SHARED_BYTES) });
  if (found.kind === 'broken') {
    print(`input ${found.executions} of seed ${seed} broke it, kept in ${keepInput(found.input)}:\n${found.error}`);
    return 1;
  }
  const grown = found.endBytes - found.warmBytes;
  print(
    `${found.executions} inputs in ${seconds} s, ${found.blocks} blocks, ${found.kinds} kinds of answers; slowest ${found.slowestMs.toFixed(0)} ms of processor time; heap ${mib(found.warmBytes)} after a quarter, ${mib(found.endBytes)} at the end`,
  );
  if (grown <= GROWTH_BYTES_MAX) return 0;
  print(`memory grew by ${mib(grown)}: something is kept for each input`);
  return 1;
}

process.exitCode = await main();
