// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz`: the parser and the compiler of mk8.shell, given what nobody would write. Exits 1 with the input that
// broke a claim, never came to an end, or made memory grow.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { checkout } from '../setup.ts';
import { SHARED_BYTES, type Found, type FuzzOrder, type Progress } from './messages.ts';

const MINUTE = '60';
/**
 * How long one input may keep the thread: longer than a machine under load makes of the processor time that is allowed.
 */
const HANG_MS = 60_000;
/**
 * How much more may be held at the end than after a quarter of the time. What an input leaves behind comes to far more
 * over some ten thousand.
 */
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Ends with what the worker found, or with the input that it didn't come back from. */
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
      say(
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

/** Keeps the input that broke something, and says where. */
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
  say(`for ${seconds} s from seed ${seed}`);
  const found = await fuzz({ seconds, seed, shared: new SharedArrayBuffer(SHARED_BYTES) });
  if (found.kind === 'broken') {
    say(`input ${found.executions} of seed ${seed} broke it, kept in ${keepInput(found.input)}:\n${found.error}`);
    return 1;
  }
  const grown = found.endBytes - found.warmBytes;
  say(
    `${found.executions} inputs in ${seconds} s, ${found.blocks} blocks, ${found.kinds} kinds of answers; slowest ${found.slowestMs.toFixed(0)} ms of processor time; heap ${mib(found.warmBytes)} after a quarter, ${mib(found.endBytes)} at the end`,
  );
  if (grown <= GROWTH_BYTES_MAX) return 0;
  say(`memory grew by ${mib(grown)}: something is kept for each input`);
  return 1;
}

process.exitCode = await main();
