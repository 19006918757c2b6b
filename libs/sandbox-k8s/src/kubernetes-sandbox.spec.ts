// SPDX-License-Identifier: Apache-2.0
import { CONTRACT_LIMITS, PROGRAMS, sandboxContract } from '@writ/sandbox/contract';
import { programsIn } from './fake-agent.contract.ts';
import { FakeApi } from './fake-api.contract.ts';
import { FakeClaims, WARM_POOLS } from './fake-claims.contract.ts';
import { IMAGE, openOn } from './fake-cluster.contract.ts';

for (const [how, count] of [
  ['warm', 2],
  ['cold', 0],
] as const) {
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

for (const [how, count] of [
  ['warm', 2],
  ['cold', 0],
] as const) {
  const api = new FakeApi();
  sandboxContract(`the Kubernetes sandbox on a fake API server, by claims, ${how}`, async () => {
    api.agent = programsIn(PROGRAMS);
    new FakeClaims(api).pool(CONTRACT_LIMITS);
    await api.open();
    const pools = [{ image: IMAGE, size: CONTRACT_LIMITS, count }];
    const sandbox = await openOn(api, { warmPools: WARM_POOLS, pools });
    await sandbox.warm();
    return { sandbox, image: IMAGE, limits: CONTRACT_LIMITS };
  });
  afterAll(async () => {
    expect(api.requests.filter((each) => each.startsWith('POST') && each.endsWith('/pods'))).toEqual([]);
    await api.close();
  });
}
