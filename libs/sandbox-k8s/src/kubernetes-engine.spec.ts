// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAMS } from '@writ/sandbox/contract';
import { ENGINE_CHECK_MS_MAX, type EngineNotReady, type SandboxEvent } from '@writ/sandbox-host';
import { LIMITS, runIn, SIZE, until } from '@writ/sandbox-host/contract';
import { greeting, programsIn, say } from './fake-agent.contract.ts';
import { FakeApi } from './fake-api.contract.ts';
import { IMAGE, openOn } from './fake-cluster.contract.ts';
import type { KubernetesSandbox } from './kubernetes-sandbox.ts';

const POOL = { image: IMAGE, size: SIZE, count: 1 };
const OWNER = { writ: 'test', 'writ.role': 'sandbox', 'writ.owner': 'exe_test' };
const OTHER = { ...OWNER, 'writ.owner': 'exe_other' };

let api: FakeApi;
let events: SandboxEvent[];
let sandbox: KubernetesSandbox | null;
const report = (event: SandboxEvent): void => void events.push(event);
const has = (type: SandboxEvent['type']): boolean => events.some((event) => event.type === type);
const open = async (config: Parameters<typeof openOn>[1] = {}): Promise<KubernetesSandbox> =>
  (sandbox = await openOn(api, { report, ...config }));
const lease = (name: string, labels: object, renewTime: Date) =>
  api.put({
    kind: 'Lease',
    metadata: { name, labels, uid: `uid-of-${name}` },
    spec: { renewTime: renewTime.toISOString(), leaseDurationSeconds: 40 },
  });
const pod = (name: string, labels: object, owner: string) =>
  api.put({ kind: 'Pod', metadata: { name, labels, ownerReferences: [{ uid: owner }] }, status: { phase: 'Running' } });
const names = (): (string | undefined)[] => api.pods.map(({ metadata }) => metadata?.name);

beforeEach(async () => {
  [api, events, sandbox] = [new FakeApi(), [], null];
  api.agent = programsIn({ ...PROGRAMS, wait: () => 'never', true: () => 0 });
  await api.open();
});
afterEach(async () => {
  await sandbox?.close();
  await api.close();
});

describe('an API server', () => {
  it('that dies loses the job with a reason, and is used again when it is back', async () => {
    const opened = await open({ pools: [POOL] });
    await opened.warm();
    const running = runIn(opened, IMAGE, 'wait');
    await until('the job has a pod and the pool another', () => opened.containers.length === 2);
    await api.shut();
    expect(await running).toMatchObject({ ended: 'lost', reason: 'engine', changes: [] });
    await until('the loss is told', () => has('engine.lost') && has('pool.refill_failed'));
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('no container can be started'),
    });
    await api.open();
    await until('the return is told', () => has('engine.back'));
    await opened.warm();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited', exitCode: 0 });
  });

  it('that accepts requests without answering loses jobs in bounded time', async () => {
    const opened = await open();
    api.fallSilent();
    const began = performance.now();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'lost', reason: 'engine' });
    expect(performance.now() - began).toBeLessThan(20_000);
    await api.shut();
    await api.open();
  });

  it('that is busy gets the request again at the time that it names', async () => {
    const opened = await open();
    api.refuse(/^POST .*pods$/, { status: 429, message: 'too many requests', retryAfter: '1' });
    const began = performance.now();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  });

  it('whose answer is lost has created the pod, which is used', async () => {
    const opened = await open();
    api.loseAnswer();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
    expect(api.requests.filter((each) => each.startsWith('POST') && each.endsWith('/pods'))).toHaveLength(2);
    await until('it is removed', () => api.pods.length === 0);
  });

  it('without quota for another pod loses the job with that reason, and an event is emitted', async () => {
    const opened = await open();
    api.refuse(/^POST .*pods$/, {
      status: 403,
      reason: 'Forbidden',
      message: 'pods "x" is forbidden: exceeded quota: sandboxes, requested: pods=1, used: pods=8, limited: pods=8',
    });
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('exceeded quota: sandboxes'),
    });
    expect(has('engine.quota')).toBe(true);
  });

  it('that has expired a watch gets a list request, and one that only ended a watch does not', async () => {
    const opened = await open();
    const lists = () => api.requests.filter((each) => each === 'GET /api/v1/namespaces/sandboxes/pods').length;
    const watches = () => api.requests.filter((each) => each.endsWith('?watch')).length;
    const [before, watched] = [lists(), watches()];
    await until('it watches', () => watches() > 0);
    api.endWatches();
    await until('it watches again', () => watches() > Math.max(1, watched));
    expect(lists()).toBe(before);
    api.expireWatches();
    const expired = performance.now();
    await until('it lists', () => lists() > before);
    // Not by the sweep, which lists once a minute.
    expect(performance.now() - expired).toBeLessThan(30_000);
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
    expect(has('engine.lost')).toBe(false);
  });
});

describe('a pod', () => {
  it('whose container ran out of memory ends its job as a limit', async () => {
    api.agent = (attached) =>
      greeting(attached, (message) => {
        if (message.type !== 'job') return;
        const name = attached.pod.metadata?.name ?? '';
        attached.socket.removeAllListeners('close');
        attached.socket.terminate();
        setTimeout(
          () =>
            api.setStatus(name, {
              phase: 'Failed',
              containerStatuses: [{ name: 'sandbox', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }],
            }),
          300,
        );
      });
    expect(await runIn(await open(), IMAGE, 'true')).toMatchObject({ ended: 'limit', reason: 'memory', changes: [] });
  });

  it("that ends during its job loses it, with its agent's error output as the reason", async () => {
    api.agent = (attached) =>
      greeting(attached, (message) => {
        if (message.type !== 'job') return;
        attached.stderr(Buffer.from('something broke'));
        attached.socket.close();
      });
    expect(await runIn(await open(), IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'container',
      detail: 'something broke',
    });
  });

  it('that runs another image than permits have gets no job and is removed', async () => {
    api.imageId = () => `registry.example/writ-sandbox@sha256:${'b'.repeat(64)}`;
    expect(await runIn(await open(), IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('WRIT_SANDBOX_IMAGE_DIGEST'),
    });
    expect(api.requests.some((each) => each.startsWith('ATTACH'))).toBe(false);
    await until('it is removed', () => api.pods.length === 0);
  });

  it('whose agent does not report that the canaries refused it gets no job and is removed', async () => {
    api.agent = (attached) => greeting(attached, () => undefined, []);
    expect(await runIn(await open(), IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('refused it'),
    });
    await until('it is removed', () => api.pods.length === 0);
  });

  it("whose image can not be pulled fails at once, with the kubelet's words", async () => {
    api.stall();
    const opened = await open();
    const result = runIn(opened, IMAGE, 'true');
    await until('it is made', () => api.pods.length === 1);
    api.setStatus(names()[0] ?? '', {
      containerStatuses: [{ name: 'sandbox', state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }],
    });
    expect(await result).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('ErrImagePull: not found'),
    });
  });

  it('without the right to attach names the missing right', async () => {
    const opened = await open();
    api.refuse(/^ATTACH/, { status: 403, message: 'cannot create resource "pods/attach"', reason: 'Forbidden' });
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('cannot create resource "pods/attach"'),
    });
  });

  it('that dies while it waits is replaced and never given to a job', async () => {
    const opened = await open({ pools: [POOL] });
    await opened.warm();
    const [name = ''] = opened.containers;
    api.detach(name);
    await until('it is replaced', () => !opened.containers.includes(name) && opened.containers.length === 1);
    await opened.warm();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
  });

  it('is not created where a canary is unreachable', async () => {
    const opened = await open({ canaries: [{ host: '127.0.0.1', port: 1 }] });
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining("the canary `127.0.0.1:1` doesn't answer"),
    });
    expect(api.pods).toEqual([]);
  });
});

describe('the API server is ready for sandboxes', () => {
  const LIST = /^GET .*\/pods$/;
  const look = (opened: KubernetesSandbox): Promise<string> =>
    opened.verifyReady().then(
      () => 'ready',
      (error: EngineNotReady) => error.problem,
    );

  it.each([
    [401, 'denied'],
    [403, 'denied'],
    [500, 'failed'],
    [429, 'silent'],
  ])('while this executor may list pods, and not where it answers %i: %s', async (status, problem) => {
    const opened = await open();
    expect(await look(opened)).toBe('ready');
    api.refuse(LIST, { status, message: 'no' });
    expect(await look(opened)).toBe(problem);
    expect(await look(opened)).toBe('ready');
  });

  it('while it answers: not when it is unreachable, and again when it is back', async () => {
    const opened = await open();
    await api.shut();
    expect(await look(opened)).toBe('unreachable');
    await api.open();
    expect(await look(opened)).toBe('ready');
  });

  it('not while it accepts requests without answering, which is detected in time', async () => {
    const opened = await open();
    api.fallSilent();
    const began = performance.now();
    expect(await look(opened)).toBe('silent');
    expect(performance.now() - began).toBeLessThan(ENGINE_CHECK_MS_MAX + 500);
    await api.shut();
    await api.open();
  });
});

describe('usage', () => {
  it('is reported by the agent, marked so, and capped at the limits', async () => {
    api.agent = (attached) =>
      greeting(attached, (message) => {
        if (message.type !== 'job') return;
        say(attached, { type: 'usage', cpuMs: 1_000_000_000, memoryPeakBytes: 2 ** 50, outOfMemory: false });
        say(
          attached,
          { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 },
          { type: 'end', changes: 0 },
        );
      });
    const { ended, usage } = await runIn(await open(), IMAGE, 'true');
    expect([ended, usage.countedBy, usage.memoryPeakBytes]).toEqual(['exited', 'agent', LIMITS.memoryBytes]);
    expect(usage.cpuMs).toBeLessThanOrEqual(usage.wallMs + 1);
  });

  it('of a silent agent counts as the most that it could have used', async () => {
    api.agent = (attached) => greeting(attached, () => undefined);
    const began = performance.now();
    expect(await runIn(await open(), IMAGE, 'true', { cpuMs: 500 })).toMatchObject({ ended: 'limit', reason: 'cpu' });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('of a waiting job is small, however long it waits', async () => {
    const { ended, usage } = await runIn(await open(), IMAGE, 'wait', { cpuMs: 500, wallMs: 1_500 });
    expect(ended).toBe('timeout');
    expect(usage.cpuMs).toBeLessThan(100);
  });

  it('is reported where the agent survived an out-of-memory kill', async () => {
    api.agent = (attached) =>
      greeting(attached, (message) => {
        if (message.type !== 'job') return;
        say(
          attached,
          { type: 'usage', cpuMs: 1, memoryPeakBytes: 1, outOfMemory: true },
          { type: 'exit', code: null, signal: 'SIGKILL', timedOut: false, droppedBytes: 0 },
          { type: 'end', changes: 0 },
        );
      });
    expect(await runIn(await open(), IMAGE, 'true')).toMatchObject({ ended: 'limit', reason: 'memory' });
  });
});

describe('a resource without an owner', () => {
  it('is swept: pods of an earlier process or of an owner whose lease is gone or expired, and no others', async () => {
    lease('writ-living', OTHER, new Date());
    lease('writ-dead', OTHER, new Date(Date.now() - 2 * 60 * 60_000));
    pod('mine', OWNER, 'uid-of-writ-mine');
    pod('living', OTHER, 'uid-of-writ-living');
    pod('dead', OTHER, 'uid-of-writ-dead');
    pod('orphan', OTHER, 'uid-of-nobody');
    pod('foreign', { app: 'other' }, 'x');
    await open();
    await until('they are gone', () => api.pods.length === 2);
    expect(names()).toEqual(['living', 'foreign']);
    await until('the dead lease is gone', () => api.leases.length === 2);
    expect(api.leases.map(({ metadata }) => metadata?.name)).toEqual(['writ-living', 'writ-exe-test']);
    expect(events.find(({ type }) => type === 'swept')).toEqual({ type: 'swept', containers: 3 });
  });

  it('does not remain after closing: neither pods nor the lease, and running jobs are killed', async () => {
    const opened = await open({ pools: [{ ...POOL, count: 2 }] });
    await opened.warm();
    const [held] = api.leases;
    expect(api.pods.map(({ metadata }) => metadata?.ownerReferences?.[0])).toEqual(
      [0, 1].map(() => expect.objectContaining({ kind: 'Lease', name: 'writ-exe-test', uid: held?.metadata?.uid })),
    );
    const running = runIn(opened, IMAGE, 'wait');
    await until('it runs', () => opened.containers.length === 3);
    await opened.close();
    expect(await running).toMatchObject({ ended: 'killed' });
    await until('all is gone', () => api.pods.length === 0 && api.leases.length === 0);
  });
});

describe('an executor without a right', () => {
  it('to leases reports that, starts no pod, and continues when it has it', async () => {
    api.refuse(/^POST .*leases$/, { status: 403, reason: 'Forbidden', message: 'cannot create resource "leases"' }, 2);
    const opened = await open();
    expect(events).toContainEqual({ type: 'engine.refused', error: expect.objectContaining({ status: 403 }) });
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      detail: expect.stringContaining('cannot create resource "leases"'),
    });
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
  });

  it('to pods reports that', async () => {
    api.refuse(/^GET .*pods$/, { status: 403, reason: 'Forbidden', message: 'cannot list resource "pods"' }, 2);
    await open();
    expect(events).toContainEqual({
      type: 'engine.lost',
      error: expect.objectContaining({ message: expect.stringContaining('cannot list resource "pods"') }),
    });
    await until('it has the right', () => has('engine.back'));
  });
});

describe('back pressure', () => {
  it('pauses a pod whose output is not consumed, and delivers all of it in the end', async () => {
    const CHUNK = 64 * 1024;
    const CHUNKS = 1_000;
    let buffered = 0;
    api.agent = (attached) =>
      greeting(attached, (message) => {
        if (message.type !== 'job') return;
        for (let sequence = 0; sequence < CHUNKS; sequence += 1)
          say(attached, { type: 'stdout', sequence, bytes: Buffer.alloc(CHUNK, 'x') });
        say(
          attached,
          { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 },
          { type: 'end', changes: 0 },
        );
        setTimeout(() => {
          buffered = attached.socket.bufferedAmount;
        }, 1_000);
      });
    let heard = 0;
    const { promise: taken, resolve: take } = Promise.withResolvers<undefined>();
    const result = runIn(
      await open(),
      IMAGE,
      'true',
      { tapBytes: CHUNK * CHUNKS },
      {
        tap: ({ bytes }) => {
          heard += bytes.length;
          return taken;
        },
      },
    );
    await until('the pod waits', () => buffered > 0);
    // Of 62 MiB, only the contents of two socket buffers have arrived.
    expect([heard < 20 * 1024 * 1024, buffered > 20 * 1024 * 1024]).toEqual([true, true]);
    take(undefined);
    expect(await result).toMatchObject({ ended: 'exited', exitCode: 0 });
    expect(heard).toBe(CHUNK * CHUNKS);
  });

  it('pauses the sender where a pod reads nothing', async () => {
    let read = 0;
    const FILES = 200;
    api.agent = (attached) => {
      greeting(attached, () => undefined);
      // After its greeting, it stops reading.
      attached.socket.once('message', () => attached.socket.pause());
    };
    function* files() {
      for (let i = 0; i < FILES; i += 1) {
        read += 1;
        yield { path: `f${i}`, kind: 'file', mode: '644', bytes: Buffer.alloc(1024 * 1024, i) } as const;
      }
    }
    const abort = new AbortController();
    const opened = await open();
    const job = { image: IMAGE, files: files(), command: 'true', cwd: '', env: {}, labels: {}, limits: LIMITS };
    const result = opened.run(job, abort.signal);
    await until('it sends', () => read > 0);
    await sleep(1_000);
    expect(read).toBeLessThan(FILES / 4);
    abort.abort();
    expect(await result).toMatchObject({ ended: 'killed' });
  });
});
