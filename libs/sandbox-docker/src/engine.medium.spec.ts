// SPDX-License-Identifier: Apache-2.0
import { chmodSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { asNobody, Door } from './engine-door.contract.ts';
import { LIMITS, openSandbox, runIn, testEngine, testImage, until } from './engine.contract.ts';
import type { EngineNotReady, SandboxEvent } from '@writ/sandbox-host';

let folder: string;
let door: Door;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writ-door-'));
  const upstream = (testEngine().modem as unknown as { socketPath: string }).socketPath;
  door = new Door(join(folder, 'engine.sock'), upstream);
});
afterAll(async () => {
  await door.shut();
  await rm(folder, { recursive: true });
});

test('a dead engine loses the job and emits an event, and is used again when it is back', async () => {
  const image = await testImage(testEngine());
  const events: SandboxEvent[] = [];
  const has = (type: SandboxEvent['type']) => events.some((event) => event.type === type);
  await door.open();
  const { sandbox } = await openSandbox({
    docker: new Docker({ socketPath: door.path }),
    pools: [{ image, size: LIMITS, count: 1 }],
    report: (event) => events.push(event),
  });
  await sandbox.warm();

  const running = runIn(sandbox, image, 'sleep 1000');
  await until('the job has a container and the pool another', () => sandbox.containers.length === 2);
  await door.shut();
  expect(await running).toMatchObject({ ended: 'lost', reason: 'engine', changes: [] });
  // Earlier, the waiting container may count as alive, and its job would be lost like the first.
  await until('the loss is told', () => has('engine.lost') && has('pool.refill_failed'));
  const refused = await runIn(sandbox, image, 'true');
  expect(refused).toMatchObject({ ended: 'lost', reason: 'engine' });
  expect(refused.detail).toContain('no container can be started');

  await door.open();
  await until('the return is told', () => has('engine.back'));
  await sandbox.warm();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'exited', exitCode: 0 });
  await sandbox.close();
  await door.shut();
}, 240_000);

test('an engine that answers no requests loses jobs in bounded time, and is used again when it answers', async () => {
  const image = await testImage(testEngine());
  await door.open();
  const { sandbox } = await openSandbox({
    docker: new Docker({ socketPath: door.path }),
    pools: [{ image, size: LIMITS, count: 0 }],
  });
  door.fallSilent();
  const started = performance.now();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({
    ended: 'lost',
    reason: 'engine',
    detail: expect.stringContaining('no container can be started'),
    changes: [],
  });
  // One unanswered request and one unanswered ping: seconds, and not the half minute of a busy engine.
  expect(performance.now() - started).toBeLessThan(29_000);
  door.resume();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'exited', exitCode: 0 });
  await sandbox.close();
  await door.shut();
}, 240_000);

test('an engine that never ran loses jobs, and blocks nothing', async () => {
  const { sandbox, image } = await openSandbox({
    docker: new Docker({ socketPath: join(folder, 'none.sock') }),
    pools: [{ image: 'x', size: LIMITS, count: 1 }],
  });
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'lost', reason: 'engine' });
  await sandbox.close();
}, 240_000);

test('an engine is ready while its socket admits this process and it answers, and again when it is back', async () => {
  chmodSync(folder, 0o755);
  await door.open();
  chmodSync(door.path, 0o666);
  const { sandbox, image } = await openSandbox({ docker: new Docker({ socketPath: door.path }) });
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'exited', usage: { countedBy: 'host' } });
  const look = async (): Promise<string> =>
    await sandbox.verifyReady().then(
      () => 'ready',
      (error: EngineNotReady) => error.problem,
    );
  expect([await look(), await asNobody(look)]).toEqual(['ready', 'ready']);
  chmodSync(door.path, 0o600);
  expect(await asNobody(look)).toBe('denied');
  chmodSync(door.path, 0o666);
  expect(await asNobody(look)).toBe('ready');
  await door.shut();
  expect(await look()).toBe('unreachable');
  await door.open();
  expect(await look()).toBe('ready');
  door.fallSilent();
  expect(await look()).toBe('silent');
  door.resume();
  expect(await look()).toBe('ready');
  await sandbox.close();
  await door.shut();
});
