// SPDX-License-Identifier: Apache-2.0
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testAddress } from '@writ/testing';
import { LIMITS, openSandbox, runIn, testEngine, testImage, textOf, until } from './engine.contract.ts';
import type { SandboxEvent } from './events.ts';

const size = { memoryBytes: LIMITS.memoryBytes, cpus: LIMITS.cpus, pids: LIMITS.pids, tmpfsBytes: LIMITS.tmpfsBytes };
const never = new AbortController().signal;

async function openWarm(count: number) {
  const image = await testImage(testEngine());
  const events: SandboxEvent[] = [];
  const opened = await openSandbox({ pools: [{ image, size, count }], report: (event) => events.push(event) });
  await opened.sandbox.warm();
  const typesOf = () => events.map(({ type }) => type).filter((type) => type.startsWith('pool.'));
  return { ...opened, typesOf };
}

const exists = async (id: string) => (await testEngine().listContainers({ all: true })).some(({ Id }) => Id === id);

test('a container is used once and then replaced', async () => {
  const { sandbox, image } = await openWarm(2);
  const first = new Set(sandbox.containers);
  expect(first.size).toBe(2);
  const hosts = await Promise.all([1, 2].map(async () => textOf(await runIn(sandbox, image, 'cat /etc/hostname'))));
  expect(new Set(hosts).size).toBe(2);
  await sandbox.warm();
  await until('the used ones are gone', 5_000, () => sandbox.containers.length === 2);
  expect(sandbox.containers.filter((id) => first.has(id))).toEqual([]);
  await sandbox.close();
}, 60_000);

test('an empty pool never fails a job', async () => {
  const { sandbox, image, typesOf } = await openWarm(1);
  const results = await Promise.all(Array.from({ length: 4 }, () => runIn(sandbox, image, 'echo x')));
  expect(results.map(({ ended, exitCode }) => [ended, exitCode])).toEqual(Array.from({ length: 4 }, () => ['exited', 0]));
  expect(typesOf()).toContain('pool.hit');
  expect(typesOf()).toContain('pool.miss');
  await sandbox.close();
}, 60_000);

test('a job of another size gets a container of its own', async () => {
  const { sandbox, image, typesOf } = await openWarm(1);
  expect(await runIn(sandbox, image, 'true', { pids: LIMITS.pids + 1 })).toMatchObject({ ended: 'exited' });
  expect(typesOf()).toEqual(['pool.miss']);
  await sandbox.close();
}, 60_000);

test('a container that dies while it waits is replaced and never given to a job', async () => {
  const { sandbox, image, docker } = await openWarm(1);
  const [id = ''] = sandbox.containers;
  await docker.getContainer(id).kill();
  await until('it is replaced', 10_000, () => !sandbox.containers.includes(id) && sandbox.containers.length === 1);
  await sandbox.warm();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'exited', exitCode: 0 });
  await sandbox.close();
}, 60_000);

test('closing leaves no container and kills what runs', async () => {
  const { sandbox, image } = await openWarm(2);
  const running = runIn(sandbox, image, 'sleep 1000');
  await until('it runs', 10_000, () => sandbox.containers.length >= 2);
  const ids = sandbox.containers;
  await sandbox.close();
  expect(await running).toMatchObject({ ended: 'killed' });
  expect(await Promise.all(ids.map(exists))).toEqual(ids.map(() => false));
}, 60_000);

test('what an earlier life left behind is swept at the start, and nothing of others', async () => {
  const docker = testEngine();
  const image = await testImage(docker);
  // A container that doesn't end with its executor: no open stdin, and no agent that would notice.
  const leave = async (owner: string) => {
    const container = await docker.createContainer({
      Image: image, Entrypoint: ['sleep', '1000'], Labels: { writ: testAddress('WRIT_TEST_LABEL'), 'writ.role': 'sandbox', 'writ.owner': owner }, HostConfig: { NetworkMode: 'none' },
    });
    await container.start();
    return container;
  };
  const owner = `swept-${process.pid}`;
  const [mine, others] = await Promise.all([leave(owner), leave(`${owner}-not`)]);
  try {
    const { sandbox } = await openSandbox({ owner });
    expect([await exists(mine.id), await exists(others.id)]).toEqual([false, true]);
    await sandbox.close();
  } finally {
    await others.remove({ force: true });
  }
}, 60_000);

test('after SIGKILL of the executor its containers are gone within two seconds', async () => {
  const docker = testEngine();
  const owner = `killed-${process.pid}`;
  const child = fork(join(import.meta.dirname, 'executor-child.contract.ts'), [owner, await testImage(docker)], { execArgv: ['--conditions=@writ/source'] });
  const [ids] = (await once(child, 'message')) as [string[]];
  // Two that wait and one that runs a job.
  expect(ids).toHaveLength(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const mine = async () => (await docker.listContainers({ all: true, filters: { label: [`writ.owner=${owner}`] } })).length;
  await until('its containers are gone', 2_000, async () => (await mine()) === 0);
}, 60_000);

test('a job that is over before it starts touches no container', async () => {
  const { sandbox, image } = await openSandbox();
  const job = { image, files: [], command: 'true', cwd: '', env: {}, labels: {}, limits: LIMITS };
  expect(await sandbox.run(job, AbortSignal.abort())).toMatchObject({ ended: 'killed', reason: 'aborted' });
  await sandbox.close();
  expect(await sandbox.run(job, never)).toMatchObject({ ended: 'killed' });
  expect(sandbox.containers).toEqual([]);
}, 60_000);
