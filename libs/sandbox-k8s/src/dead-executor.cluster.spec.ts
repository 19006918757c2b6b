// SPDX-License-Identifier: Apache-2.0
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { V1Pod, V1PodList } from '@kubernetes/client-node';
import { until } from '@writ/sandbox-host/contract';
import { DIGEST, onCluster, REFERENCE, TestNamespace } from './cluster.contract.ts';

onCluster('after SIGKILL of an executor', () => {
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await TestNamespace.make();
  });
  afterAll(() => namespace.remove());

  const left = async (): Promise<V1Pod[]> => (await namespace.ask<V1PodList>('GET', namespace.pods)).items;

  test('its pods end by themselves, except one with a stopped agent; its next process sweeps them all', async () => {
    const owner = 'exe_killed';
    const { host, port } = namespace.canary;
    const child = fork(
      join(import.meta.dirname, 'executor-child.contract.ts'),
      [
        namespace.kubeconfig,
        namespace.name,
        owner,
        REFERENCE,
        DIGEST,
        host,
        String(port),
        'kill -STOP $PPID; sleep 1000',
      ],
      { execArgv: ['--conditions=@writ/source'] },
    );
    const [names] = (await once(child, 'message')) as [string[]];
    expect(names).toHaveLength(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const phases = async () => (await left()).map(({ status }) => status?.phase).sort();
    await until('the one that waited has ended', async () => (await phases()).includes('Succeeded'));
    expect(await phases()).toEqual(['Running', 'Succeeded']);
    const next = await namespace.open({ owner });
    await until('both are gone', async () => (await left()).length === 0);
    await next.close();
  });
});
