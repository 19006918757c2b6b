// SPDX-License-Identifier: Apache-2.0
import { CONTRACT_LIMITS, PROGRAMS, sandboxContract } from '@writ/sandbox/contract';
import { programsIn } from './fake-agent.contract.ts';
import { FakeApi } from './fake-api.contract.ts';
import { IMAGE, openOn } from './fake-cluster.contract.ts';

for (const [how, count] of [['warm', 2], ['cold', 0]] as const) {
  const api = new FakeApi();
  sandboxContract(`the Kubernetes sandbox on a fake API server, ${how}`, async () => {
    api.agent = programsIn(PROGRAMS);
    await api.open();
    const sandbox = await openOn(api, { pools: [{ image: IMAGE, size: CONTRACT_LIMITS, count }] });
    await sandbox.warm();
    return { sandbox, image: IMAGE, limits: CONTRACT_LIMITS };
  });
  afterAll(() => api.close());
}
