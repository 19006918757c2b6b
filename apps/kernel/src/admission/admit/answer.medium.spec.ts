// SPDX-License-Identifier: Apache-2.0
import { sha256Hex } from '@writ/digest';
import { deltaOf } from '@writ/workspace';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';

let kernel: TestKernel;
let execution: TestExecution;
openKernelSpec((on) => {
  ({ kernel, run: execution } = on);
});

const newCall = async () => {
  const tenant = await kernel.newTenant();
  return { tenant, call: tenant.writeCall(await tenant.token()) };
};
const LONG_MS = 10_000;

describe('a proposal that waits', () => {
  it('is answered with the end and the result of its call', async () => {
    const { tenant, call } = await newCall();
    const answer = kernel.admission.answer(await kernel.admission.decide(call, null, LONG_MS));
    const { attempt } = await execution.perform(tenant, call);
    await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })));
    expect(await answer).toMatchObject({
      state: 'committed',
      replayed: false,
      result: { tx_outcome: 'committed', result: { path: 'a.txt' } },
    });
  });

  it('is answered from the database where another replica changed the call', async () => {
    const { tenant, call } = await newCall();
    const answer = kernel.admission.answer(await kernel.admission.decide(call, null, LONG_MS));
    await execution.perform(tenant, call);
    kernel.outcomes.changedElsewhere(call.operation_id);
    expect(await answer).toMatchObject({ state: 'performing', result: null });
  });

  it('is answered with the decision where the call takes longer or was decided before', async () => {
    const { call } = await newCall();
    expect(await kernel.admission.answer(await kernel.admission.decide(call, null, 20))).toMatchObject({
      state: 'admitted',
    });
    const again = await kernel.admission.decide(call, null, LONG_MS);
    expect(again.end).toBeNull();
  });
});

describe('contents that come with a report', () => {
  const performed = async () => {
    const { tenant, call } = await newCall();
    const { attempt } = await execution.perform(tenant, call);
    return { tenant, call, attempt };
  };
  const named = (attempt: Awaited<ReturnType<typeof performed>>['attempt'], text: string, size = text.length) =>
    deltaOf(attempt.snapshot, [
      {
        path: 'a.txt' as never,
        before: null,
        after: { kind: 'file', mode: '644', sha256: sha256Hex(Buffer.from(text)), size },
      },
    ]);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('are stored with the state that names them', async () => {
    const { tenant, attempt } = await performed();
    const text = `unseen ${attempt.operation_id}`;
    expect(
      await execution.commit.run(reportOf(attempt, named(attempt, text), { contents: [base64(text)] })),
    ).toMatchObject({ state: 'committed' });
    expect(Buffer.from(await kernel.blobs.get(tenant.tenantId, sha256Hex(Buffer.from(text)))).toString()).toBe(text);
  });

  it.each([
    [
      'are of another size than the delta says',
      (text: string) => ({ size: text.length + 1, contents: [base64(text)] }),
    ],
    ['are others than the delta names', (text: string) => ({ size: text.length, contents: [base64(`${text}!`)] })],
    [
      'are longer than a report takes',
      (text: string) => ({ size: text.length, contents: [base64(text), base64('x'.repeat(40_000))] }),
    ],
  ])('cause no effect where they %s', async (_, arrange) => {
    const { attempt } = await performed();
    const text = `unseen ${attempt.operation_id}`;
    const { size, contents } = arrange(text);
    await execution.commit.run(reportOf(attempt, named(attempt, text, size), { contents }));
    const view = await kernel.admin.query(
      'SELECT tx_outcome, fault_code FROM kernel.operation WHERE operation_id = $1',
      [attempt.operation_id],
    );
    expect(view.rows).toEqual([{ tx_outcome: 'rolled_back', fault_code: 'effect.invalid' }]);
  });
});
