// SPDX-License-Identifier: Apache-2.0
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testAddress } from '@writ/testing';
import { LIMITS, openSandbox, runIn, SIZE as size, testEngine, testImage, textOf, until } from './engine.contract.ts';
import { MADE_BY, ownMark } from './process-mark.ts';
import type { SandboxEvent } from '@writ/sandbox-host';

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
  await until('the used ones are gone', () => sandbox.containers.length === 2);
  expect(sandbox.containers.filter((id) => first.has(id))).toEqual([]);
  await sandbox.close();
}, 240_000);

test('a used container is removed soon, also under a steady load of calls', async () => {
  const { sandbox, image } = await openWarm(1);
  const [used = ''] = sandbox.containers;
  await runIn(sandbox, image, 'true');
  const going = runIn(sandbox, image, 'sleep 1000');
  await until('it is gone', async () => !(await exists(used)));
  await sandbox.close();
  expect(await going).toMatchObject({ ended: 'killed' });
}, 240_000);

test('a waiting container has an egress port ready, which is closed for a job without egress', async () => {
  const { sandbox, image, docker } = await openWarm(2);
  const listens = `grep -q ' 0A ' /proc/net/tcp`;
  const isReady = async (id: string): Promise<boolean> => {
    const asked = await docker.getContainer(id).exec({ Cmd: ['sh', '-c', listens], AttachStdout: true });
    for await (const _ of await asked.start({})) continue;
    return (await asked.inspect()).ExitCode === 0;
  };
  await until('both have it', async () => (await Promise.all(sandbox.containers.map(isReady))).every(Boolean));
  const say = `${listens} && echo listens; env | grep -q http_proxy= && echo told`;
  expect(textOf(await runIn(sandbox, image, say))).toBe('');
  const way = `${say}; exec 3<>"/dev/tcp/127.0.0.1/\${http_proxy##*:}"; echo there >&3; head -n 1 <&3`;
  expect(
    textOf(await runIn(sandbox, image, way, {}, { egress: { serve: (connection) => connection.pipe(connection) } })),
  ).toBe('listens\ntold\nthere\n');
  await sandbox.close();
}, 240_000);

test('a job never fails because of an empty pool', async () => {
  const { sandbox, image, typesOf } = await openWarm(1);
  const results = await Promise.all(Array.from({ length: 4 }, () => runIn(sandbox, image, 'echo x')));
  expect(results.map(({ ended, exitCode }) => [ended, exitCode])).toEqual(
    Array.from({ length: 4 }, () => ['exited', 0]),
  );
  expect(typesOf()).toContain('pool.hit');
  expect(typesOf()).toContain('pool.miss');
  await sandbox.close();
}, 240_000);

test('a job of another size gets a new container', async () => {
  const { sandbox, image, typesOf } = await openWarm(1);
  expect(await runIn(sandbox, image, 'true', { pids: LIMITS.pids + 1 })).toMatchObject({ ended: 'exited' });
  expect(typesOf()).toEqual(['pool.miss']);
  await sandbox.close();
}, 240_000);

test('a container that dies while it waits is replaced and never given to a job', async () => {
  const { sandbox, image, docker } = await openWarm(1);
  const [id = ''] = sandbox.containers;
  await docker.getContainer(id).kill();
  await until('it is replaced', () => !sandbox.containers.includes(id) && sandbox.containers.length === 1);
  await sandbox.warm();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'exited', exitCode: 0 });
  await sandbox.close();
}, 240_000);

test('closing leaves no container and kills what runs', async () => {
  const { sandbox, image } = await openWarm(2);
  const running = runIn(sandbox, image, 'sleep 1000');
  await until('it runs', () => sandbox.containers.length >= 2);
  const ids = sandbox.containers;
  await sandbox.close();
  expect(await running).toMatchObject({ ended: 'killed' });
  expect(await Promise.all(ids.map(exists))).toEqual(ids.map(() => false));
}, 240_000);

test('containers of an earlier process are swept at the start, frozen ones too, and no others', async () => {
  const docker = testEngine();
  const image = await testImage(docker);
  // A container that doesn't end with its executor: its stdin stays open, and no agent would notice.
  const leave = async (owner: string) => {
    const container = await docker.createContainer({
      Image: image,
      Entrypoint: ['sleep', '1000'],
      Labels: { writ: testAddress('WRIT_TEST_LABEL'), 'writ.role': 'sandbox', 'writ.owner': owner },
      HostConfig: { NetworkMode: 'none' },
    });
    await container.start();
    return container;
  };
  const owner = `swept-${process.pid}`;
  const [mine, frozen, others] = await Promise.all([leave(owner), leave(owner), leave(`${owner}-not`)]);
  // As a program between two calls whose executor was killed.
  await frozen.pause();
  try {
    const { sandbox } = await openSandbox({ owner });
    expect(await Promise.all([mine, frozen, others].map(({ id }) => exists(id)))).toEqual([false, false, true]);
    await sandbox.close();
  } finally {
    await others.remove({ force: true });
  }
}, 240_000);

test('containers in which dead processes made images are swept, and not those of processes that live', async () => {
  const docker = testEngine();
  const image = await testImage(docker);
  const owner = `images-${process.pid}`;
  const dead = spawnSync(process.execPath, [
    '--conditions=@writ/source',
    '--input-type=module',
    '-e',
    `import { ownMark } from ${JSON.stringify(join(import.meta.dirname, 'process-mark.ts'))}; console.log(ownMark());`,
  ]);
  // A container that is paused during a commit, or never starts, doesn't notice the end of its executor.
  const leave = async (of: string, mark: string | null) =>
    await docker.createContainer({
      Image: image,
      Labels: {
        writ: testAddress('WRIT_TEST_LABEL'),
        'writ.role': 'image',
        'writ.owner': of,
        ...(mark === null ? {} : { [MADE_BY]: mark }),
      },
    });
  const deadMark = dead.stdout.toString().trim();
  const left = [await leave(owner, deadMark), await leave('other', deadMark), await leave(owner, 'other-boot x 1 1')];
  const kept = [
    await leave(owner, ownMark()),
    await leave('other', ownMark()),
    await leave('other', 'other-boot x 1 1'),
  ];
  try {
    const { sandbox } = await openSandbox({ owner });
    expect(await Promise.all([...left, ...kept].map(({ id }) => exists(id)))).toEqual([
      ...left.map(() => false),
      ...kept.map(() => true),
    ]);
    await sandbox.close();
  } finally {
    await Promise.allSettled([...left, ...kept].map((container) => container.remove({ force: true })));
  }
}, 240_000);

test('after SIGKILL of the executor its containers end by themselves', async () => {
  const docker = testEngine();
  const owner = `killed-${process.pid}`;
  const child = fork(join(import.meta.dirname, 'executor-child.contract.ts'), [owner, await testImage(docker)], {
    execArgv: ['--conditions=@writ/source'],
  });
  const [ids] = (await once(child, 'message')) as [string[]];
  // Two that wait and one that runs a job.
  expect(ids).toHaveLength(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const mine = async () =>
    (await docker.listContainers({ all: true, filters: { label: [`writ.owner=${owner}`] } })).length;
  await until('its containers are gone', async () => (await mine()) === 0);
}, 240_000);

test('a container whose job has stopped its agent outlives a killed executor, until the next one starts', async () => {
  const docker = testEngine();
  const owner = `stopped-${process.pid}`;
  const child = fork(
    join(import.meta.dirname, 'executor-child.contract.ts'),
    [owner, await testImage(docker), 'kill -STOP $PPID; sleep 1000'],
    { execArgv: ['--conditions=@writ/source'] },
  );
  await once(child, 'message');
  const left = async () =>
    (await docker.listContainers({ all: true, filters: { label: [`writ.owner=${owner}`] } })).length;
  // The two waiting containers notice the end of the stream; the third ignores it.
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('the others are gone', async () => (await left()) === 1);
  const { sandbox } = await openSandbox({ owner: `next-${process.pid}` });
  expect(await left()).toBe(0);
  await sandbox.close();
}, 240_000);

test('the configured runtime is passed to the engine; an unknown one runs nothing', async () => {
  const { sandbox, image } = await openSandbox({ runtime: 'writ-no-such-runtime' });
  const result = await runIn(sandbox, image, 'echo ran');
  expect(result).toMatchObject({ ended: 'lost', reason: 'engine', output: [] });
  expect(result.detail).toContain('writ-no-such-runtime');
  await sandbox.close();
}, 240_000);

test('a job that is aborted before it starts uses no container', async () => {
  const { sandbox, image } = await openSandbox();
  const job = { image, files: [], command: 'true', cwd: '', env: {}, labels: {}, limits: LIMITS };
  expect(await sandbox.run(job, AbortSignal.abort())).toMatchObject({ ended: 'killed', reason: 'aborted' });
  await sandbox.close();
  expect(await sandbox.run(job, never)).toMatchObject({ ended: 'killed' });
  expect(sandbox.containers).toEqual([]);
}, 240_000);

describe('a pre-populated container', () => {
  const file = (path: string, content: string) =>
    ({ path, kind: 'file', mode: '644', bytes: Buffer.from(content) }) as const;
  const prePopulated = [
    file('same.txt', 'same'),
    file('changed.txt', 'before'),
    file('gone/a.txt', 'a'),
    { path: 'link', kind: 'symlink', mode: null, target: 'same.txt' } as const,
  ];
  const LOOK = 'find . -mindepth 1 | sort && cat changed.txt link && echo written >> same.txt';

  async function openPrePopulated(events: SandboxEvent[] = []) {
    const image = await testImage(testEngine());
    const opened = await openSandbox({
      pools: [{ image, size, count: 0 }],
      prePopulated: 1,
      report: (event) => events.push(event),
    });
    const job = { image, files: [], command: LOOK, cwd: '', env: {}, labels: {}, limits: LIMITS };
    opened.sandbox.expect({ image, limits: LIMITS, kin: 'ours', files: () => prePopulated });
    await until('it waits', () => opened.sandbox.containers.length === 1);
    return { ...opened, job };
  }

  test('serves one job of its kin, which sees only its own files, and whose effect compares with those', async () => {
    const { sandbox, job } = await openPrePopulated();
    const [waiting] = sandbox.containers;
    const kin = {
      name: 'ours',
      patches: () =>
        [
          { path: 'gone/a.txt', kind: 'gone' },
          { path: 'gone', kind: 'gone' },
          file('changed.txt', 'after'),
          { path: 'new', kind: 'dir', mode: null },
          file('new/b.txt', 'b'),
        ] as const,
    };
    const result = await sandbox.run({ ...job, command: `cat /etc/hostname; ${LOOK}`, kin }, never);
    const [host = '', ...lines] = textOf(result).split('\n');
    expect(waiting?.startsWith(host)).toBe(true);
    expect(lines.join('\n')).toBe('./changed.txt\n./link\n./new\n./new/b.txt\n./same.txt\naftersame');
    expect(result.changes).toMatchObject([{ path: 'same.txt', before: { size: 4 }, after: { kind: 'file' } }]);
    await until('it is gone', () => sandbox.containers.length === 0);
    await sandbox.close();
  }, 120_000);

  test('serves neither a job of another kin nor one without a kin', async () => {
    const { sandbox, job } = await openPrePopulated();
    const kin = {
      name: 'theirs',
      patches: () => {
        throw new Error('nothing stands there');
      },
    };
    for (const each of [{ ...job, kin }, job]) {
      const result = await sandbox.run({ ...each, command: 'find . -mindepth 1' }, never);
      expect([result.ended, textOf(result)]).toEqual(['exited', '']);
    }
    await sandbox.close();
  }, 120_000);

  test('is removed in favour of a newer one, and when its sandbox closes', async () => {
    const { sandbox, job } = await openPrePopulated();
    const [first = ''] = sandbox.containers;
    sandbox.expect({ image: job.image, limits: LIMITS, kin: 'others', files: () => prePopulated });
    await until('the first is gone', () => sandbox.containers.length === 1 && !sandbox.containers.includes(first));
    const [second = ''] = sandbox.containers;
    await sandbox.close();
    expect(await exists(second)).toBe(false);
  }, 120_000);
});
