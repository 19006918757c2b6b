// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SANDBOX_LIMITS } from '@writ/contract';
import { createPool, verifyDurability } from '@writ/database';
import Docker, { type MemoryStats } from 'dockerode';
import type { Stack } from '@writ/stack';
import { testAddress } from '@writ/testing';
import { measure, summarise, type Load, type Metric } from '../measure.ts';

const run = promisify(execFile);
type Measured = Omit<Metric, 'reference' | 'ratio'>;

/**
 * The least cost of a durable write here: one row, one commit, one connection, by the driver and with the services'
 * settings. A disk that answers a flush from its cache makes this as short as a read.
 */
export async function pgCommit(stack: Stack, load: Load): Promise<Measured> {
  const client = createPool({ url: stack.database.ownerUrl, applicationName: 'bench', max: 1 });
  try {
    await verifyDurability(client);
    await client.query('CREATE TABLE public.bench (id bigserial PRIMARY KEY, text text)');
    return await measure(load, async () => {
      await client.query({
        name: 'insert',
        text: 'INSERT INTO public.bench (text) VALUES ($1)',
        values: ['x'.repeat(100)],
      });
    });
  } finally {
    await client.end();
  }
}

/** The limits of a call's container, as options of the client program. */
export const LIMITS = [
  '--memory',
  String(SANDBOX_LIMITS.memory_bytes),
  '--memory-swap',
  String(SANDBOX_LIMITS.memory_bytes),
  '--cpus',
  '1',
  '--pids-limit',
  String(SANDBOX_LIMITS.pids),
  ...['/workspace', '/tmp'].flatMap((path) => ['--tmpfs', `${path}:size=${SANDBOX_LIMITS.disk_write_bytes}`]),
];

/** What a person would type to run one command in a new container, with the limits of a call. */
export function dockerRun(load: Load): Promise<Measured> {
  const image = testAddress('WRIT_TEST_SANDBOX_IMAGE');
  const env = { ...process.env, DOCKER_HOST: testAddress('DOCKER_HOST') };
  return measure(load, async () => {
    await run('docker', ['run', '--rm', '--network', 'none', ...LIMITS, '--entrypoint', '/bin/true', image], { env });
  });
}

/** The same command in a container that runs already: no isolation from earlier commands. */
export async function dockerExec(load: Load): Promise<Measured> {
  const env = { ...process.env, DOCKER_HOST: testAddress('DOCKER_HOST') };
  const started = await run(
    'docker',
    [
      'run',
      '--detach',
      '--rm',
      '--network',
      'none',
      '--label',
      `writ=${testAddress('WRIT_TEST_LABEL')}`,
      '--entrypoint',
      '/bin/sleep',
      testAddress('WRIT_TEST_SANDBOX_IMAGE'),
      '600',
    ],
    { env },
  );
  const id = started.stdout.trim();
  try {
    return await measure(load, async () => {
      await run('docker', ['exec', id, '/bin/true'], { env });
    });
  } finally {
    await run('docker', ['rm', '--force', id], { env });
  }
}

/** The same command in namespaces alone, without an engine. Null, with a message, where the program isn't installed. */
export async function bubblewrap(load: Load): Promise<Measured | null> {
  if (
    await run('bwrap', ['--version']).then(
      () => false,
      () => true,
    )
  ) {
    console.log('  left out: `bwrap` is not installed (Debian: apt-get install bubblewrap)');
    return null;
  }
  return await measure(load, async () => {
    await run('bwrap', [
      '--ro-bind',
      '/',
      '/',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--unshare-all',
      '--die-with-parent',
      'true',
    ]);
  });
}

/** Memory that the engine charges to each waiting container of the pool, in MiB: the quantiles are over containers. */
export async function poolIdle(): Promise<Measured> {
  const docker = new Docker({ socketPath: new URL(testAddress('DOCKER_HOST')).pathname });
  const containers = await docker.listContainers({ filters: { label: ['writ.role=sandbox'] } });
  const charged = await Promise.all(
    containers.map(async ({ Id }) =>
      ownBytes((await docker.getContainer(Id).stats({ stream: false, 'one-shot': true })).memory_stats),
    ),
  );
  return {
    ...summarise(
      charged.map((bytes) => bytes / 2 ** 20),
      Number.NaN,
    ),
    rate: null,
    unit: 'MiB',
  };
}

/**
 * Memory of a container without the page cache. The image's pages are charged to the container that read them first:
 * fifty MiB to one and none to another. Files in its tmpfs count (cgroup v1's memory.stat has `cache`, v2's `file`,
 * both with `shmem` in it).
 */
function ownBytes({ usage, stats }: MemoryStats): number {
  const { cache, file, shmem = 0 } = stats as unknown as Readonly<Record<string, number | undefined>>;
  return usage - ((cache ?? file ?? Number.NaN) - shmem);
}
