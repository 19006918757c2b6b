// SPDX-License-Identifier: Apache-2.0
import { startNatsServer, type TestNatsServer } from '@writ/testing';
import { natsBus, natsServerConfig, workLanesOf, type NatsBus } from '@writ/bus-nats';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

const password = 'a-password-of-a-test';
const shard = 's0';

/**
 * A kernel that echoes, as an app's main.ts would boot it. Decorators are applied as functions, so that Node.js runs it
 * without a compiler.
 */
const program = `
  import { Controller } from '@nestjs/common';
  import { MessagePattern } from '@nestjs/microservices';
  import { bootProcess, COMMON_ENVIRONMENT, readEnvironment } from '@writ/nest-kit';
  import { natsBus, workLanesOf } from '@writ/bus-nats';
  import { traceHooks } from '@writ/telemetry';
  import { Type } from 'typebox';
  class Echo {
    admit(payload) { return payload; }
    async create() { await new Promise((resolve) => setTimeout(resolve, 500)); return 'finished'; }
  }
  for (const [name, method] of [['admit', 'admit'], ['tenant.create', 'create']]) MessagePattern('kernel.' + name)(Echo.prototype, method, Object.getOwnPropertyDescriptor(Echo.prototype, method));
  Controller()(Echo);
  class Kernel {}
  await bootProcess(() => {
    const config = readEnvironment(Type.Object(COMMON_ENVIRONMENT), process.env);
    return {
      process: 'kernel', version: '0.1.0', config,
      needs: { WRIT_NATS_URL: config.WRIT_NATS_URL },
      connectBus: (report) => natsBus({ url: config.WRIT_NATS_URL, user: 'kernel', password: '${password}', lanes: workLanesOf('s0'), keepsLanes: true, trace: traceHooks, report }),
      module: () => ({ module: Kernel, controllers: [Echo] }),
    };
  });
`;

interface Booted {
  readonly child: ChildProcess;
  readonly opsUrl: string;
}

function spawnProgram(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--conditions=@writ/source', '--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function boot(url: string): Promise<Booted> {
  const child = spawnProgram({ WRIT_NATS_URL: url });
  const { stdout } = child;
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: stdout })) {
    const entry = JSON.parse(line) as { msg?: string; ops_url?: string };
    if (entry.msg !== 'ready' || entry.ops_url === undefined) continue;
    stdout.resume();
    return { child, opsUrl: entry.ops_url };
  }
  throw new Error('the process ended before it was ready');
}

let server: TestNatsServer;
let client: NatsBus;
beforeAll(async () => {
  const users = { orchestrator: password, kernel: password, executor: password, ledger: password };
  server = await startNatsServer((place) => natsServerConfig({ ...place, users, serverName: 'test', shard }));
}, 120_000);
afterAll(() => server.stop());

const address = (user: string) => ({ url: server.url, user, password, lanes: workLanesOf(shard), keepsLanes: false });
const ask = (verb: string, payload: unknown) =>
  client.request(`writ.v1.s0.kernel.${verb}`, payload, { deadline: Date.now() + 5_000 });

describe('a Nest process on a real server', () => {
  let booted: Booted;
  beforeAll(async () => {
    booted = await boot(server.url);
    client = await natsBus(address('orchestrator'));
  }, 120_000);
  afterAll(async () => {
    booted.child.kill('SIGKILL');
    await client.close();
  });

  test('says that it is ready and answers', async () => {
    const ready = await fetch(`${booted.opsUrl}/readyz`);
    expect({ status: ready.status, body: await ready.json() }).toEqual({
      status: 200,
      body: { ready: true, checks: { bus: 'ok' } },
    });
    expect(await ask('admit', { tool_id: 'fs.read' })).toEqual({ tool_id: 'fs.read' });
    expect(await (await fetch(`${booted.opsUrl}/metrics`)).text()).toContain(
      'writ_bus_handler_duration_seconds_count{verb="admit",outcome="ok"} 1',
    );
  });

  test('answers in a fraction of a millisecond', async () => {
    const payload = { args: 'x'.repeat(1_000) };
    for (let index = 0; index < 500; index += 1) await ask('admit', payload);
    const times: number[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      const started = performance.now();
      await ask('admit', payload);
      times.push(performance.now() - started);
    }
    const p50 = times.sort((a, b) => a - b)[500] ?? Number.NaN;
    process.stderr.write(
      `request/reply through Nest and NATS: p50 ${p50.toFixed(2)} ms, p99 ${(times[990] ?? 0).toFixed(2)} ms\n`,
    );
    // Ten times the value on an idle machine. This detects a timer or a poll in the path, not load.
    expect(p50).toBeLessThan(5);
  }, 120_000);

  test('finishes running requests on SIGTERM and ends with 0', async () => {
    const finishing = ask('tenant.create', {});
    // Sent later over the same connection and already answered, so the first request is running.
    await ask('admit', {});
    const exited = once(booted.child, 'exit');
    booted.child.kill('SIGTERM');
    expect(await finishing).toBe('finished');
    expect(await exited).toEqual([0, null]);
  }, 120_000);
});

test('a wrong environment ends the process with every variable named', async () => {
  const child = spawnProgram({ WRIT_OPS_PORT: '99999', WRIT_LOG_LEVEL: 'loud' });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(1);
  for (const name of ['WRIT_NATS_URL', 'WRIT_OPS_PORT', 'WRIT_LOG_LEVEL']) expect(text).toContain(name);
}, 120_000);

test('a bus that cannot be reached ends the process with 1 and says so', async () => {
  const child = spawnProgram({ WRIT_NATS_URL: 'nats://127.0.0.1:1', WRIT_START_WAIT_MS: '400' });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(1);
  expect(text).toContain('nobody listens at `127.0.0.1:1` (ECONNREFUSED), which `WRIT_NATS_URL` names');
}, 120_000);

test('a process that starts before its bus becomes ready once the bus is up', async () => {
  const later = createServer((socket) => {
    const { port, hostname } = new URL(server.url.replace('nats:', 'http:'));
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward])
      end.on('error', () => {
        socket.destroy();
        onward.destroy();
      });
  });
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(free);
      });
    });
  });
  const booting = boot(`nats://127.0.0.1:${port}`);
  setTimeout(() => {
    later.listen(port, '127.0.0.1');
  }, 2_000);
  const { child } = await booting;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  later.close();
}, 120_000);
