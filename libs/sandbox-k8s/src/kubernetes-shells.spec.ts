// SPDX-License-Identifier: Apache-2.0
import { CONTRACT_LIMITS, SHELL_PROGRAMS, shellsContract } from '@writ/sandbox/contract';
import { shellsIn } from './fake-agent.contract.ts';
import { FakeApi } from './fake-api.contract.ts';
import { IMAGE, openOn } from './fake-cluster.contract.ts';

const api = new FakeApi();
shellsContract('shells in pods of a fake API server', async () => {
  api.agent = shellsIn(SHELL_PROGRAMS);
  await api.open();
  const sandbox = await openOn(api, { pools: [{ image: IMAGE, size: CONTRACT_LIMITS, count: 0 }] });
  return { shells: sandbox.shells, image: IMAGE, close: () => sandbox.close() };
});
afterAll(() => api.close());
