// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { PROGRAMS } from '@writ/sandbox/contract';
import type { SandboxEvent } from '@writ/sandbox-host';
import { runIn, SIZE, until } from '@writ/sandbox-host/contract';
import { greeting, programsIn } from './fake-agent.contract.ts';
import { FakeApi } from './fake-api.contract.ts';
import { FakeClaims, WARM_POOLS } from './fake-claims.contract.ts';
import { IMAGE, openOn } from './fake-cluster.contract.ts';
import type { KubernetesSandbox } from './kubernetes-sandbox.ts';

const POOL = `${WARM_POOLS}-${'a'.repeat(12)}-${SIZE.memoryBytes}`;
const OWNER = { writ: 'test', 'writ.role': 'sandbox', 'writ.owner': 'exe_test' };

let api: FakeApi;
let cluster: FakeClaims;
let events: SandboxEvent[];
let sandbox: KubernetesSandbox | null;
const open = async (config: Parameters<typeof openOn>[1] = {}): Promise<KubernetesSandbox> =>
  (sandbox = await openOn(api, { warmPools: WARM_POOLS, report: (event) => void events.push(event), ...config }));
const run = async (config: Parameters<typeof openOn>[1] = {}) => await runIn(await open(config), IMAGE, 'true');
const lost = (detail: string) => ({
  ended: 'lost',
  reason: 'engine',
  output: [],
  detail: expect.stringContaining(detail) as string,
});
const isEmpty = (): boolean => api.pods.length === 0 && cluster.claims.length === 0;
const asked = (matches: RegExp): string[] => api.requests.filter((each) => matches.test(each));

beforeEach(async () => {
  [api, events, sandbox] = [new FakeApi(), [], null];
  cluster = new FakeClaims(api);
  cluster.pool(SIZE);
  api.agent = programsIn({ ...PROGRAMS, wait: () => 'never', true: () => 0 });
  await api.open();
});
afterEach(async () => {
  await sandbox?.close();
  await api.close();
});

describe('a claim', () => {
  it('names the pool of image and size, is owned by the lease, expires, and is deleted after one call', async () => {
    const opened = await open();
    const result = runIn(opened, IMAGE, 'wait', { wallMs: 1_000 });
    await until('the job runs', () => cluster.claims.length === 1 && api.pods.length === 1);
    const [claim] = cluster.claims;
    expect(claim).toMatchObject({
      apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
      metadata: {
        labels: OWNER,
        ownerReferences: [{ kind: 'Lease', name: 'writ-exe-test', uid: api.leases[0]?.metadata?.uid }],
      },
      spec: { warmPoolRef: { name: POOL }, lifecycle: { shutdownPolicy: 'Delete' } },
    });
    const { shutdownTime } = (claim?.spec as unknown as { lifecycle: { shutdownTime: string } }).lifecycle;
    expect(Date.parse(shutdownTime) - Date.now()).toBeGreaterThan(23 * 60 * 60_000);
    expect(await result).toMatchObject({ ended: 'timeout' });
    await until('all is gone', isEmpty);
    expect(asked(/^(POST|DELETE) .*\/pods/)).toEqual([]);
  });

  it('has a Sandbox to itself: two calls have two', async () => {
    const opened = await open();
    const results = [1, 2].map(() => runIn(opened, IMAGE, 'wait', { wallMs: 1_000 }));
    await until('both run', () => asked(/^ATTACH/).length === 2);
    expect(new Set(asked(/^ATTACH/)).size).toBe(2);
    expect(cluster.claims).toHaveLength(2);
    await Promise.all(results);
  });

  it('for a size that no pool has fails at once, and the error names the required pool', async () => {
    const opened = await open();
    const began = performance.now();
    const memoryBytes = 2 * SIZE.memoryBytes;
    expect(await runIn(opened, IMAGE, 'true', { memoryBytes })).toMatchObject(
      lost(`it takes a SandboxWarmPool \`${WARM_POOLS}-${'a'.repeat(12)}-${memoryBytes}\``),
    );
    expect(performance.now() - began).toBeLessThan(5_000);
    await until('the claim is gone', isEmpty);
  });

  it('that was created with its answer lost is used', async () => {
    const opened = await open();
    api.loseAnswer();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
    expect(asked(/^POST .*\/sandboxclaims/)).toHaveLength(2);
  });

  it('without the right to create it names the missing right', async () => {
    api.refuse(/^POST .*sandboxclaims$/, {
      status: 403,
      reason: 'Forbidden',
      message: 'cannot create "sandboxclaims"',
    });
    expect(await run()).toMatchObject(lost('cannot create "sandboxclaims"'));
  });

  it('that is deleted before it has a Sandbox loses its call', async () => {
    cluster.binds = false;
    const result = run();
    await until('it is made', () => cluster.claims.length === 1);
    api.collect('SandboxClaim', cluster.claims[0]?.metadata?.name ?? '');
    expect(await result).toMatchObject(lost('the claim was deleted before it had a sandbox'));
  });

  it('of an earlier process is swept, and those of running executors are not', async () => {
    const owned = (name: string, owner: string, uid: string) =>
      api.put({
        kind: 'SandboxClaim',
        metadata: { name, labels: { ...OWNER, 'writ.owner': owner }, ownerReferences: [{ uid }] },
      });
    cluster.binds = false;
    api.put({
      kind: 'Lease',
      metadata: { name: 'writ-living', labels: { ...OWNER, 'writ.owner': 'exe_other' }, uid: 'uid-of-living' },
      spec: { renewTime: new Date().toISOString() },
    });
    owned('mine', 'exe_test', 'x');
    owned('living', 'exe_other', 'uid-of-living');
    owned('orphan', 'exe_other', 'uid-of-nobody');
    await open();
    await until('two are gone', () => cluster.claims.length === 1);
    expect(cluster.claims[0]?.metadata?.name).toBe('living');
    expect(events).toContainEqual({ type: 'swept', containers: 2 });
  });
});

describe('the pod of a claim', () => {
  const altered = (alter: (pod: V1Pod) => void): void => {
    cluster.alter = (pod) => {
      const copy = structuredClone(pod);
      alter(copy);
      return copy;
    };
  };

  it.each([
    [
      'another image',
      (pod: V1Pod) => void (pod.spec!.containers[0]!.image = 'x:1'),
      '`spec.containers[0].image` is `"x:1"`',
    ],
    ['a token', (pod: V1Pod) => void (pod.spec!.automountServiceAccountToken = true), 'automountServiceAccountToken'],
    ["the node's network", (pod: V1Pod) => void (pod.spec!.hostNetwork = true), '`spec.hostNetwork`'],
    ['a sidecar', (pod: V1Pod) => void pod.spec!.containers.push({ name: 'proxy' }), '`spec.containers`'],
    ['another owner', (pod: V1Pod) => void (pod.metadata!.ownerReferences = []), 'no Sandbox'],
    ['no label', (pod: V1Pod) => void delete pod.metadata!.labels!['writ.role'], 'its label `writ.role`'],
  ])('with %s is never attached to, and is deleted', async (_what, alter, words) => {
    altered(alter);
    expect(await run()).toMatchObject(lost(words));
    expect(asked(/^ATTACH/)).toEqual([]);
    await until('it is deleted', isEmpty);
  });

  it('that runs another image than its reference says gets no job', async () => {
    api.imageId = () => `registry.example/writ-sandbox@sha256:${'b'.repeat(64)}`;
    expect(await run()).toMatchObject(lost('WRIT_SANDBOX_IMAGE_DIGEST'));
    expect(asked(/^ATTACH/)).toEqual([]);
    await until('it is deleted', isEmpty);
  });

  it("whose image can not be pulled fails at once, with the kubelet's words", async () => {
    api.stall();
    const result = run();
    await until('it is made', () => api.pods.length === 1);
    api.setStatus(api.pods[0]?.metadata?.name ?? '', {
      containerStatuses: [{ name: 'sandbox', state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }],
    });
    expect(await result).toMatchObject(lost('ErrImagePull: not found'));
  });

  it('receives its canaries over the stream, and gets no job unless it reports that they refused it', async () => {
    const canaries = [{ host: '127.0.0.1', port: Number(new URL(await server()).port) }];
    expect(await run({ canaries })).toMatchObject({ ended: 'exited' });
    await sandbox?.close();
    api.agent = (attached) => greeting(attached, () => undefined, []);
    expect(await run({ canaries })).toMatchObject(lost('refused it'));
    await until('it is deleted', isEmpty);
  });

  it('that ran out of memory ends its job as a limit', async () => {
    api.agent = (attached) =>
      greeting(attached, (message) => {
        if (message.type !== 'job') return;
        attached.socket.removeAllListeners('close');
        attached.socket.terminate();
        api.setStatus(attached.pod.metadata?.name ?? '', {
          phase: 'Failed',
          containerStatuses: [{ name: 'sandbox', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }],
        });
      });
    expect(await run()).toMatchObject({ ended: 'limit', reason: 'memory' });
  });
});

/** The address of the fake API server, which answers every client. */
async function server(): Promise<string> {
  const text = await readFile(api.kubeconfig, 'utf8');
  return (JSON.parse(text) as { clusters: [{ cluster: { server: string } }] }).clusters[0].cluster.server;
}

describe('a cluster', () => {
  const MISSING = /no CRD `sandboxclaims\.extensions\.agents\.x-k8s\.io`.*install its CRDs and its controller/;

  it('without the CRDs is reported at the start, and runs nothing until it has them', async () => {
    cluster.serve();
    const opened = await open();
    expect(events.filter(({ type }) => type === 'engine.refused')).toEqual([
      {
        type: 'engine.refused',
        error: expect.objectContaining({ message: expect.stringMatching(MISSING) as string }) as Error,
      },
    ]);
    await expect(opened.verifyReady()).rejects.toThrow(MISSING);
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({
      ...lost(''),
      detail: expect.stringMatching(MISSING) as string,
    });
    cluster.serve('v1beta1');
    await opened.verifyReady();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
  });

  it('with CRDs of another version is reported to need a later one', async () => {
    cluster.serve('v1alpha1');
    await expect((await open()).verifyReady()).rejects.toThrow(
      /as v1alpha1, and this executor needs v1beta1: install agent-sandbox/,
    );
  });

  it('that does not answer counts as one without the CRDs, and is reported once', async () => {
    await api.shut();
    const opened = await open();
    await expect(opened.verifyReady()).rejects.toThrow();
    expect(events.filter(({ type }) => type === 'engine.lost' || type === 'engine.refused')).toHaveLength(1);
    await api.open();
    await opened.verifyReady();
  });

  it('where pods are made by the executor needs no CRD', async () => {
    cluster.serve();
    const opened = await openOn(api);
    sandbox = opened;
    await opened.verifyReady();
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
    expect(asked(/agents\.x-k8s\.io/)).toEqual([]);
  });
});
