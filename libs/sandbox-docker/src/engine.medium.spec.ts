// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { LIMITS, openSandbox, runIn, testEngine, testImage, until } from './engine.contract.ts';
import type { SandboxEvent } from '@writ/sandbox-host';

/** Stands between the sandbox and the engine, so that the engine can go away for one test and stay for the others. */
class Door {
  readonly path: string;
  readonly #upstream: string;
  readonly #sockets = new Set<Socket>();
  readonly #unheard = new Set<Socket>();
  #isSilent = false;
  #server: Server | null = null;

  constructor(path: string, upstream: string) {
    this.path = path;
    this.#upstream = upstream;
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => {
      if (this.#isSilent) {
        this.#unheard.add(client);
        client.on('error', () => undefined).on('close', () => this.#unheard.delete(client));
        return;
      }
      const engine = connect(this.#upstream);
      for (const [from, to] of [[client, engine], [engine, client]] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
      client.pipe(engine).pipe(client);
    }).listen(this.path);
    await once(this.#server, 'listening');
  }

  /** As when the engine hangs: what is asked from now on is taken and never answered. */
  fallSilent(): void {
    this.#isSilent = true;
    // Connections that are kept open are answered as little.
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** As when somebody restarts it: what nobody answered is broken off. */
  speak(): void {
    this.#isSilent = false;
    for (const socket of [...this.#unheard, ...this.#sockets]) socket.destroy();
  }

  /** As when the engine dies: every connection breaks, and no new one is taken. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

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

test('a dead engine loses the job, says so, and is used again when it is back', async () => {
  const image = await testImage(testEngine());
  const events: SandboxEvent[] = [];
  const has = (type: SandboxEvent['type']) => events.some((event) => event.type === type);
  await door.open();
  const { sandbox } = await openSandbox({ docker: new Docker({ socketPath: door.path }), pools: [{ image, size: LIMITS, count: 1 }], report: (event) => events.push(event) });
  await sandbox.warm();

  const running = runIn(sandbox, image, 'sleep 1000');
  await until('the job has a container and the pool another', () => sandbox.containers.length === 2);
  await door.shut();
  expect(await running).toMatchObject({ ended: 'lost', reason: 'engine', changes: [] });
  // Before, the one that waits may be taken for alive, and its job is lost as the first was.
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

test('an engine that takes requests and answers none loses jobs in bounded time, fails none of them otherwise, and is used again when it answers', async () => {
  const image = await testImage(testEngine());
  await door.open();
  const { sandbox } = await openSandbox({ docker: new Docker({ socketPath: door.path }), pools: [{ image, size: LIMITS, count: 0 }] });
  door.fallSilent();
  const started = performance.now();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'lost', reason: 'engine', detail: expect.stringContaining('no container can be started'), changes: [] });
  // A request that nobody answers, and a ping that nobody answers: seconds, and not the half minute that a busy engine would be given.
  expect(performance.now() - started).toBeLessThan(29_000);
  door.speak();
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'exited', exitCode: 0 });
  await sandbox.close();
  await door.shut();
}, 240_000);

test('an engine that was never there loses jobs and hinders nothing', async () => {
  const { sandbox, image } = await openSandbox({ docker: new Docker({ socketPath: join(folder, 'none.sock') }), pools: [{ image: 'x', size: LIMITS, count: 1 }] });
  expect(await runIn(sandbox, image, 'true')).toMatchObject({ ended: 'lost', reason: 'engine' });
  await sandbox.close();
}, 240_000);
