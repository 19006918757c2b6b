// SPDX-License-Identifier: Apache-2.0
// Reads a small file at an even rate, whether or not the call before was answered, and prints one line of JSON per
// call. It is a process apart, so that the test's own computing doesn't count as latency. Its first argument is the
// request; it ends when its input ends.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { url, key, body, everyMs, callMs } = JSON.parse(process.argv[2] ?? '');
const underWay = new Set();
let isStopped = false;
process.stdin
  .once('end', () => {
    isStopped = true;
  })
  .resume();

async function read() {
  const sentAt = Date.now();
  const began = performance.now();
  const answer = await ask().catch(() => null);
  const ms = performance.now() - began;
  const isRight = answer?.result?.content === 'one\n';
  process.stdout.write(`${JSON.stringify({ sentAt, ms, isRight, operationId: answer?.operation_id ?? null })}\n`);
}

async function ask() {
  const response = await fetch(`${url}/v1/tool-calls?wait=${callMs}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, idempotency_key: randomUUID() }),
  });
  return await response.json();
}

for (let due = performance.now(); !isStopped; due += everyMs) {
  await sleep(Math.max(0, due - performance.now()));
  const reading = read().finally(() => underWay.delete(reading));
  underWay.add(reading);
}
await Promise.all(underWay);
