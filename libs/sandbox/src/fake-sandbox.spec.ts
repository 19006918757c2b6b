// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { FakeSandbox } from './fake-sandbox.ts';
import { CONTRACT_LIMITS, PROGRAMS, sandboxContract } from './sandbox.contract.ts';

const sleep = async (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

sandboxContract('the fake sandbox', async () => ({
  sandbox: new FakeSandbox({ programs: PROGRAMS, images: ['image'], sleep }),
  image: 'image',
  limits: CONTRACT_LIMITS,
}));

test('a closed sandbox runs nothing', async () => {
  const sandbox = new FakeSandbox({ programs: PROGRAMS, sleep });
  await sandbox.close();
  const job = { image: 'image', files: [], command: 'true', cwd: '', env: {}, labels: {}, limits: CONTRACT_LIMITS };
  expect(await sandbox.run(job, new AbortController().signal)).toMatchObject({ ended: 'killed' });
});
