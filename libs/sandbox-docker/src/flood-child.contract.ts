// SPDX-License-Identifier: Apache-2.0
// A process that one of its containers floods, beside others that behave, for a test of the cost. Prints how the flood
// ended, the peak of memory, and the duration of the slowest other job.
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { encodeAgentMessage, type SandboxJob, type SandboxResult } from '@writ/sandbox';
import { DockerSandbox } from './docker-sandbox.ts';
import { fakeEngine, framed, said } from './fake-engine.contract.ts';
import { FLOODS, NEIGHBOURS } from './floods.contract.ts';

const MIB = 2 ** 20;
/** Many times more than any bound on stored output. */
const FLOOD_BYTES_MAX = 1_024 * MIB;
const LIMITS = {
  memoryBytes: 1,
  cpus: 1,
  pids: 1,
  tmpfsBytes: 1,
  wallMs: 4_000,
  cpuMs: 1_000_000,
  outputBytes: 200_000,
  deltaBytes: 16 * MIB,
  deltaFiles: 20_000,
};
const EXIT = { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 } as const;

const flood = FLOODS[process.argv[2] ?? ''];
if (flood === undefined) throw new Error('no such flood');

/** Writes piece after piece while the stream is open, as fast as they are consumed. */
function pour(stream: Duplex, { pieces, kind = 1, paused }: NonNullable<typeof flood>): void {
  let bytes = 0;
  const step = (): void => {
    for (let n = 0; n < 4; n += 1) {
      const { value, done } = pieces.next();
      if (done === true || stream.destroyed || bytes > FLOOD_BYTES_MAX) return;
      bytes += value.length;
      stream.push(framed(value, kind));
    }
    if (paused === true) setTimeout(step, 1);
    else setImmediate(step);
  };
  step();
}

/** Answers every connection with endless data, and reads none of its bytes. */
const egress = {
  serve: (connection: Duplex): void => {
    connection.on('error', () => undefined);
    const chunk = Buffer.alloc(MIB);
    const write = (): void => {
      while (connection.writable && connection.write(chunk)) continue;
    };
    connection.on('drain', write);
    if (flood.answered === true) write();
  },
};

const job: SandboxJob = {
  image: 'x',
  files: [],
  command: 'flood',
  cwd: '',
  env: {},
  labels: {},
  limits: LIMITS,
  egress,
};
const never = new AbortController().signal;
const bad = await DockerSandbox.open({
  docker: fakeEngine((stream) => pour(stream, flood), flood.reads ?? true).docker,
  label: 'test',
  owner: 'bad',
  pools: [],
});
const good = await DockerSandbox.open({
  docker: fakeEngine((stream) =>
    stream.push(framed(Buffer.concat([said(EXIT), encodeAgentMessage({ type: 'end', changes: 0 })]))),
  ).docker,
  label: 'test',
  owner: 'good',
  pools: [],
});

const flooding = bad.run(job, never);
let slowestMs = 0;
let result: SandboxResult | null = null;
void flooding.then((end) => {
  result = end;
});
for (let n = 0; n < NEIGHBOURS; n += 1) {
  const began = performance.now();
  const { ended } = await good.run({ ...job, command: 'true' }, never);
  if (ended !== 'exited') throw new Error(`a job beside the flood ended as ${ended}`);
  slowestMs = Math.max(slowestMs, performance.now() - began);
}
const { ended, reason, detail } = result ?? (await flooding);
await Promise.all([bad.close(), good.close()]);
// Not `maxRSS`: getrusage(2) counts the parent's memory at the time when it made this process.
const rssKib = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
process.stdout.write(
  JSON.stringify({ ended, reason, detail, slowestMs: Math.round(slowestMs), rssMib: Math.round(rssKib / 1024) }),
);
