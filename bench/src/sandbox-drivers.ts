// SPDX-License-Identifier: Apache-2.0
// Both sandbox drivers on one machine, one after the other in one run: `node --conditions=@writ/source
// bench/src/sandbox-drivers.ts`. Needs the infrastructure (`npm run parts`) for Docker, and a cluster
// (WRIT_CLUSTER_KUBECONFIG, WRIT_CLUSTER_SANDBOX_IMAGE, WRIT_CLUSTER_SANDBOX_DIGEST) for pods.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { SandboxLimits } from '@writ/sandbox';
import { DockerSandbox } from '@writ/sandbox-docker';
import type { ContainerSandbox, WarmPoolConfig } from '@writ/sandbox-host';
import { DIGEST, TestNamespace } from '@writ/sandbox-k8s/contract';
import { testAddress } from '@writ/testing';

const MIB = 1024 * 1024;
const LIMITS: SandboxLimits = {
  memoryBytes: 256 * MIB,
  cpus: 1,
  pids: 64,
  tmpfsBytes: 64 * MIB,
  wallMs: 60_000,
  cpuMs: 60_000,
  outputBytes: 200_000,
  deltaBytes: 16 * MIB,
  deltaFiles: 1_000,
};
/** The default pool size. */
const POOL = 8;
const WARM_CALLS = 60;
const COLD_CALLS = 10;
/** Pause between two warm calls, in which the pool refills, as while an agent thinks. */
const PAUSE_MS = 1_500;
const never = new AbortController().signal;

interface Driver {
  readonly name: string;
  readonly image: string;
  open(pools: readonly WarmPoolConfig[]): Promise<ContainerSandbox>;
}

async function timed(sandbox: ContainerSandbox, image: string): Promise<number> {
  const began = performance.now();
  const { ended, detail } = await sandbox.run(
    { image, files: [], command: 'true', cwd: '', env: {}, labels: {}, limits: LIMITS },
    never,
  );
  if (ended !== 'exited') throw new Error(`a call ended as ${ended}: ${detail}`);
  return performance.now() - began;
}

const quantile = (sorted: readonly number[], q: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN);

function summary(samples: readonly number[]): string {
  const sorted = [...samples].sort((a, b) => a - b);
  return `p50 ${quantile(sorted, 0.5)} ms, p99 ${quantile(sorted, 0.99)} ms, n=${sorted.length}`;
}

const rate = (count: number, ms: number): string =>
  `${Math.round(ms)} ms, ${(count / (ms / 1_000)).toFixed(2)} a second`;

async function measure({ name, image, open }: Driver): Promise<void> {
  const print = (what: string, figure: string): void =>
    console.log(`${name.padEnd(10)} ${what.padEnd(28)} ${figure} (load ${loadavg()[0]?.toFixed(1)})`);
  const cold = await open([]);
  const colds: number[] = [];
  for (let i = 0; i < COLD_CALLS; i += 1) colds.push(await timed(cold, image));
  print('cold call', summary(colds));
  await cold.close();
  const began = performance.now();
  const warm = await open([{ image, size: LIMITS, count: POOL }]);
  await warm.warm();
  print(`pool of ${POOL} filled`, rate(POOL, performance.now() - began));
  const warms: number[] = [];
  for (let i = 0; i < WARM_CALLS; i += 1) {
    warms.push(await timed(warm, image));
    await sleep(PAUSE_MS);
  }
  print('warm call', summary(warms));
  await warm.warm();
  const burst = performance.now();
  await Promise.all(Array.from({ length: 3 * POOL }, () => timed(warm, image)));
  print(`${3 * POOL} calls at once`, rate(3 * POOL, performance.now() - burst));
  await warm.close();
}

const docker = new Docker({ socketPath: testAddress('DOCKER_HOST').replace('unix://', '') });
const namespace = await TestNamespace.make();
try {
  await measure({
    name: 'docker',
    image: testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'),
    open: (pools) => DockerSandbox.open({ docker, label: 'bench', owner: 'bench', pools }),
  });
  await measure({ name: 'kubernetes', image: DIGEST, open: (pools) => namespace.open({ pools }) });
} finally {
  await namespace.remove();
}
