// SPDX-License-Identifier: Apache-2.0
import { PROGRAMS } from '@writ/sandbox/contract';
import { runIn, until } from '@writ/sandbox-host/contract';
import { programsIn } from './fake-agent.contract.ts';
import { FakeApi } from './fake-api.contract.ts';
import { IMAGE, openOn } from './fake-cluster.contract.ts';
import type { KubernetesSandbox } from './kubernetes-sandbox.ts';

let api: FakeApi;
let sandbox: KubernetesSandbox | null;
const open = async (): Promise<KubernetesSandbox> => (sandbox = await openOn(api, {}));
const names = (): (string | undefined)[] => api.pods.map(({ metadata }) => metadata?.name);

beforeEach(async () => {
  [api, sandbox] = [new FakeApi(), null];
  api.agent = programsIn({ ...PROGRAMS, true: () => 0 });
  await api.open();
});
afterEach(async () => {
  await sandbox?.close();
  await api.close();
});

describe('a pod', () => {
  it('whose image can not be pulled keeps an executor unready until its first pod starts', async () => {
    const opened = await open();
    const problem = () =>
      opened.verifyReady().then(
        () => null,
        (error: unknown) => error,
      );
    const failOne = async (): Promise<void> => {
      const before = names();
      const result = runIn(opened, IMAGE, 'true');
      await until('it is made', () => names().some((name) => !before.includes(name)));
      api.setStatus(names().find((name) => !before.includes(name)) ?? '', {
        containerStatuses: [
          { name: 'sandbox', state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } },
        ],
      });
      expect(await result).toMatchObject({
        detail: expect.stringMatching(/ImagePullBackOff: not found.*sandbox\.image/),
      });
    };
    expect(await problem()).toBeNull();
    api.stall();
    await failOne();
    expect(await problem()).toMatchObject({ problem: 'image', message: expect.stringContaining('`sandbox.image`') });
    api.stall(false);
    expect(await runIn(opened, IMAGE, 'true')).toMatchObject({ ended: 'exited' });
    expect(await problem()).toBeNull();
    api.stall();
    await failOne();
    expect(await problem()).toBeNull();
  });
});
