// SPDX-License-Identifier: Apache-2.0
import { CONTRACT_LIMITS, sandboxContract, shellsContract } from '@writ/sandbox/contract';
import { DIGEST, onCluster, TestNamespace } from './cluster.contract.ts';

onCluster('on a real cluster', () => {
  let namespace: TestNamespace;
  beforeAll(async () => {
    namespace = await TestNamespace.make();
  });
  afterAll(() => namespace.remove());

  for (const [how, count] of [
    ['warm', 2],
    ['cold', 0],
  ] as const) {
    sandboxContract(`the Kubernetes sandbox, ${how}`, async () => {
      const sandbox = await namespace.open({ pools: [{ image: DIGEST, size: CONTRACT_LIMITS, count }] });
      await sandbox.warm();
      return { sandbox, image: DIGEST, limits: CONTRACT_LIMITS };
    });
  }

  shellsContract('shells in pods', async () => {
    const sandbox = await namespace.open();
    return { shells: sandbox.shells, image: DIGEST, close: () => sandbox.close() };
  });
});
