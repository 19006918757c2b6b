// SPDX-License-Identifier: Apache-2.0
import type { V1PodList } from '@kubernetes/client-node';
import { CONTRACT_LIMITS, sandboxContract, shellsContract } from '@writ/sandbox/contract';
import { runIn, SIZE, textOf, until } from '@writ/sandbox-host/contract';
import { claimsOf } from './agent-sandbox.ts';
import { isStatus } from './api-error.ts';
import { DIGEST, onClaims, TestNamespace, WARM_POOLS } from './cluster.contract.ts';
import { KubeApi } from './kube-api.ts';

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

await onClaims('claims on a real cluster', () => {
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await TestNamespace.make(true, true);
    await namespace.pool(CONTRACT_LIMITS, 2);
  });
  afterAll(() => namespace.remove());

  for (const [how, count] of [
    ['warm', 2],
    ['cold', 0],
  ] as const) {
    sandboxContract(`the Kubernetes sandbox by claims, ${how}`, async () => {
      const pools = [{ image: DIGEST, size: CONTRACT_LIMITS, count }];
      const sandbox = await namespace.open({ warmPools: WARM_POOLS, pools });
      await sandbox.warm();
      return { sandbox, image: DIGEST, limits: CONTRACT_LIMITS };
    });
  }

  shellsContract('shells in pods that are claimed', async () => {
    const sandbox = await namespace.open({ warmPools: WARM_POOLS });
    return { shells: sandbox.shells, image: DIGEST, close: () => sandbox.close() };
  });
});

await onClaims('a claim on a real cluster', () => {
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await TestNamespace.make(true, true);
  });
  afterAll(() => namespace.remove());

  const claims = async (): Promise<Listed['items']> =>
    (await namespace.ask<Listed>('GET', claimsOf(namespace.name))).items;
  const podNames = async (): Promise<string[]> =>
    (await namespace.ask<V1PodList>('GET', namespace.pods)).items.map(({ metadata }) => metadata?.name ?? '');

  test('for which there is no pool fails at once, and the error names the required pool', async () => {
    const sandbox = await namespace.open({ warmPools: WARM_POOLS });
    const began = performance.now();
    expect(await runIn(sandbox, DIGEST, 'echo ran')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      output: [],
      detail: expect.stringMatching(
        /WarmPoolNotFound: SandboxWarmPool .* not found.*it takes a SandboxWarmPool `test-/,
      ) as string,
    });
    expect(performance.now() - began).toBeLessThan(10_000);
    await sandbox.close();
  });

  test('of a template in another shape is refused before anything is sent to its pod', async () => {
    const other = await TestNamespace.make(true, true);
    await other.pool(SIZE, 0, { dnsPolicy: 'ClusterFirst', dnsConfig: undefined });
    const sandbox = await other.open({ warmPools: WARM_POOLS });
    expect(await runIn(sandbox, DIGEST, 'echo ran')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      output: [],
      detail: expect.stringMatching(/isn't a sandbox as this executor makes them: `spec\.dns/) as string,
    });
    await sandbox.close();
    await other.remove();
  });

  test('runs no job where the network is open, although its pod was warm before the canary was known', async () => {
    const open = await TestNamespace.make(false, true);
    await open.pool(SIZE, 1);
    const sandbox = await open.open({ warmPools: WARM_POOLS });
    expect(await runIn(sandbox, DIGEST, 'echo ran')).toMatchObject({
      ended: 'lost',
      reason: 'engine',
      output: [],
      detail: expect.stringContaining('the network is open') as string,
    });
    await sandbox.close();
    await open.remove();
  });

  test('is bound to a warm pod, runs one call in it, and is deleted with it', async () => {
    await namespace.pool(SIZE, 1);
    const sandbox = await namespace.open({ warmPools: WARM_POOLS });
    const running = async (): Promise<string[]> =>
      (await namespace.ask<V1PodList>('GET', namespace.pods)).items
        .filter(({ status }) => status?.phase === 'Running')
        .map(({ metadata }) => metadata?.name ?? '');
    await until('a pod is warm', async () => (await running()).length === 1);
    const [warm = ''] = await running();
    const result = await runIn(sandbox, DIGEST, 'cat /proc/sys/kernel/hostname');
    expect([result.ended, textOf(result).trim()]).toEqual(['exited', warm]);
    await until(
      'claim and pod are gone',
      async () => (await claims()).length === 0 && !(await podNames()).includes(warm),
    );
    await sandbox.close();
  });

  test("is deleted with its executor's lease, and so is its pod", async () => {
    const doomed = await namespace.open({ warmPools: WARM_POOLS, pools: [{ image: DIGEST, size: SIZE, count: 1 }] });
    await doomed.warm();
    const [claim] = await claims();
    const { metadata, status } = await namespace.ask<{
      metadata: { ownerReferences: { name: string }[] };
      status: { sandbox: { name: string } };
    }>('GET', `${claimsOf(namespace.name)}/${claim?.metadata.name}`);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace.name}/leases`;
    await namespace.ask('DELETE', `${leases}/${metadata.ownerReferences[0]?.name}`);
    await until('the pod is collected', async () => !(await podNames()).includes(status.sandbox.name));
    await doomed.close();
  });

  test('is all that its executor may create and delete: no pods, pools or templates', async () => {
    const api = await KubeApi.load({ kubeconfig: namespace.kubeconfig });
    const asked = async (method: 'GET' | 'POST' | 'DELETE', path: string) =>
      await api
        .request('x', { method, path, ...(method === 'POST' ? { body: {} } : {}), signal: AbortSignal.timeout(30_000) })
        .then(
          () => 'allowed',
          (error: unknown) => (isStatus(error, 403) ? 'forbidden' : String(error)),
        );
    const extensions = claimsOf(namespace.name).replace(/\/sandboxclaims$/, '');
    const [name = 'x'] = await podNames();
    for (const each of [
      `POST ${namespace.pods}`,
      `DELETE ${namespace.pods}/${name}`,
      `POST ${namespace.pods}/${name}/exec?command=id&stdout=true`,
      `GET ${extensions}/sandboxtemplates`,
      `POST ${extensions}/sandboxwarmpools`,
      `GET /apis/agents.x-k8s.io/v1beta1/namespaces/${namespace.name}/sandboxes`,
    ]) {
      const [method = '', path = ''] = each.split(' ');
      expect([each, await asked(method as 'GET', path)]).toEqual([each, 'forbidden']);
    }
    api.close();
  });
});
