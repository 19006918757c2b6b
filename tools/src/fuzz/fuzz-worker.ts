// SPDX-License-Identifier: Apache-2.0
//
// The fuzzing thread. Its current input is in shared memory, so that the main thread can report even an input that
// never ends.
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { runInNewContext } from 'node:vm';
import { exampleOf, VERBS } from '@writ/mk8-shell';
import { SeededRandom } from './seeded-random.ts';
import { check } from './properties.ts';
import { Coverage } from './coverage.ts';
import { mutated } from './mutate.ts';
import { INPUT_BYTES_MAX, type Found, type FuzzOrder, type Progress } from './messages.ts';

/** Inputs between two reads of V8's counts, which take as long as some inputs. */
const BATCH = 50;
/** The maximum of kept inputs, so that their size doesn't look like a leak. */
const KEPT_MAX = 4_000;
/** Processor time for one input: a hundred times that of the largest script. */
const CPU_MS_MAX = 5_000;
const REPORT_MS = 5_000;

const { seconds, seed, shared } = workerData as FuzzOrder;
const [count, input] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
const chance = new SeededRandom(seed);
const coverage = new Coverage('/libs/mk8-shell/src/');
const kinds = new Set<string>();
const kept: string[] = [...VERBS.values()].map((verb) =>
  JSON.stringify({ options: { pipeStepOutput: true }, ...exampleOf(verb) }),
);
const encoder = new TextEncoder();
let executions = 0;
let slowestMs = 0;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Live bytes of the heap. */
function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Whether its answer is of a new kind. */
function tryOne(text: string): boolean {
  count[1] = encoder.encodeInto(text, input.subarray(0, INPUT_BYTES_MAX)).written;
  Atomics.store(count, 0, ++executions);
  const before = process.threadCpuUsage();
  const output = check(text);
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1000;
  slowestMs = Math.max(slowestMs, ms);
  if (ms > CPU_MS_MAX) throw new Error(`it took ${Math.round(ms)} ms of processor time`);
  const size = kinds.size;
  for (const kind of output) if (kinds.size < 20_000) kinds.add(kind);
  return kinds.size > size;
}

function keep(text: string): void {
  if (kept.length < KEPT_MAX) kept.push(text);
  else kept[chance.below(KEPT_MAX)] = text;
}

/** Some inputs; those that executed new blocks are kept. */
function batch(): void {
  const tried = Array.from({ length: BATCH }, () => mutated(chance.pick(kept), chance.pick(kept), chance));
  const isNew = tried.map(tryOne);
  for (const [n, text] of tried.entries()) if (isNew[n] === true) keep(text);
  if (!coverage.isNew()) return;
  // The counts don't tell which input it was: each is kept.
  for (const [n, text] of tried.entries()) if (isNew[n] !== true && text.length < 4_000) keep(text);
}

function report(progress: Progress | Found): void {
  parentPort?.postMessage(progress);
}

function fuzz(): void {
  for (const text of kept) tryOne(text);
  coverage.isNew();
  const began = performance.now();
  let [told, warm] = [0, null as number | null];
  for (let spent = 0; spent < seconds * 1000; spent = performance.now() - began) {
    batch();
    // Data that is kept once (compiled expressions, shapes, the code itself) exists after a quarter of the time.
    if (warm === null && spent > seconds * 250) warm = heapBytes();
    if (spent - told < REPORT_MS) continue;
    told = spent;
    report({ kind: 'progress', executions, blocks: coverage.blocks, kinds: kinds.size, kept: kept.length, slowestMs });
  }
  kept.length = 0;
  report({
    kind: 'over',
    executions,
    blocks: coverage.blocks,
    kinds: kinds.size,
    slowestMs,
    warmBytes: warm ?? heapBytes(),
    endBytes: heapBytes(),
  });
}

try {
  fuzz();
} catch (error) {
  const length = count[1] ?? 0;
  report({
    kind: 'broken',
    executions,
    input: new TextDecoder().decode(input.slice(0, length)),
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
}
