// SPDX-License-Identifier: Apache-2.0
//
// The thread that fuzzes. What it is at stands in shared memory, so that the other one can tell even of an input that
// never comes to an end.
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { runInNewContext } from 'node:vm';
import { exampleOf, VERBS } from '@writ/mk8-shell';
import { Chance } from './chance.ts';
import { check } from './claims.ts';
import { Coverage } from './coverage.ts';
import { mutated } from './mutate.ts';
import { INPUT_BYTES_MAX, type Found, type FuzzOrder, type Progress } from './messages.ts';

/** Inputs between two looks at the engine's counts, which take as long as some of them. */
const BATCH = 50;
/** Of inputs that were kept: so many, that what they hold doesn't look like growth. */
const KEPT_MAX = 4_000;
/** Processor time of one input: a hundred times what the largest script takes. */
const CPU_MS_MAX = 5_000;
const REPORT_MS = 5_000;

const { seconds, seed, shared } = workerData as FuzzOrder;
const [count, input] = [new Int32Array(shared, 0, 2), new Uint8Array(shared, 8)];
const chance = new Chance(seed);
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

/** Bytes of the heap that are held by something. */
function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Whether it answered in a way that nothing before it did. */
function tryOne(text: string): boolean {
  count[1] = encoder.encodeInto(text, input.subarray(0, INPUT_BYTES_MAX)).written;
  Atomics.store(count, 0, ++executions);
  const before = process.threadCpuUsage();
  const said = check(text);
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1000;
  slowestMs = Math.max(slowestMs, ms);
  if (ms > CPU_MS_MAX) throw new Error(`it took ${Math.round(ms)} ms of processor time`);
  const size = kinds.size;
  for (const kind of said) if (kinds.size < 20_000) kinds.add(kind);
  return kinds.size > size;
}

function keep(text: string): void {
  if (kept.length < KEPT_MAX) kept.push(text);
  else kept[chance.below(KEPT_MAX)] = text;
}

/** Some inputs; those that ran what nothing before did are kept. */
function batch(): void {
  const tried = Array.from({ length: BATCH }, () => mutated(chance.pick(kept), chance.pick(kept), chance));
  const isNew = tried.map(tryOne);
  for (const [n, text] of tried.entries()) if (isNew[n] === true) keep(text);
  if (!coverage.isNew()) return;
  // Which of them it was isn't told: each may lead on.
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
    // What is kept once — compiled expressions, shapes, the code itself — is there after a quarter of the time.
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
