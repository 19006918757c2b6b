// SPDX-License-Identifier: Apache-2.0
import type { Delta } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { completeEffectSettings, type EffectExamination } from '@writ/effect';
import { InlineTaskRunner } from '@writ/worker-pool';
import { kernelTasks } from '../../kernel.worker.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { deltaFor, reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { EffectExaminer } from './effect-examiner.ts';

const FILES = 20;
const FAILED = { code: 'tool.failed', message: 'the tool failed', hint: null } as const;
const NO_RESULT = sha256Hex(canonicalBytes(null));
/** More than a quarter of the files count as many. */
const BOUND = 5;

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write(
    Object.fromEntries(
      Array.from({ length: FILES }, (_, n) => [
        `src/f${n}.txt`,
        `a file of some words, the number of which is ${n}\n`.repeat(5),
      ]),
    ),
  );
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

/** The examiner of a replica: it shares nothing with others but the database. */
const newExaminer = () => new EffectExaminer(kernel.blobs, kernel.tenants, new InlineTaskRunner(kernelTasks));
const perform = async (more = {}): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(token, more))).attempt;
const effectOf = (delta: Delta) => ({ delta, bytes: canonicalBytes(delta), contents: new Map<string, Uint8Array>() });
const emptied = (attempt: Attempt, n: number) => deltaFor(kernel, attempt, { [`src/f${n}.txt`]: '\n' });
const examine = async (attempt: Attempt, n: number, isApproved = false): Promise<EffectExamination> =>
  await newExaminer().examine(
    await run.factsOf(attempt),
    effectOf(await emptied(attempt, n)),
    completeEffectSettings(),
    isApproved,
  );
const isFree = ({ findings }: EffectExamination): boolean => findings.length === 0;

describe('a series of effects', () => {
  it.each([8, FILES - 2])(
    'of %i that are examined at once by replicas, under sessions of their own, leaves fewer free than are many',
    async (count) => {
      const attempts = await Promise.all(
        Array.from({ length: count }, (_, n) => perform({ session_id: `session-${n}` })),
      );
      const examined = await Promise.all(attempts.map(async (attempt, n) => await examine(attempt, n)));
      expect(examined.filter(isFree)).toHaveLength(BOUND - 1);
      expect(
        examined.filter((each) => !isFree(each)).every(({ findings }) => findings[0]?.rule === 'effect.lost_series'),
      ).toBe(true);
    },
  );

  it('counts effects that committed, and not those that were rolled back or that persons approved', async () => {
    const lose = async (n: number, ends: 'commits' | 'is approved' | 'is rolled back'): Promise<readonly number[]> => {
      const attempt = await perform();
      const { findings } = await examine(attempt, n, ends === 'is approved');
      const report = reportOf(attempt, await emptied(attempt, n));
      await run.commit.run(
        ends === 'is rolled back'
          ? { ...report, ended: 'failed', error: FAILED, result: null, result_hash: NO_RESULT }
          : report,
      );
      expect((await tenant.row(attempt.operation_id)).tx_outcome).toBe(
        ends === 'is rolled back' ? 'rolled_back' : 'committed',
      );
      // The commit examines it too, as an effect that no person approved.
      if (ends === 'is approved')
        await tenant.query('UPDATE kernel.series_effect SET is_approved = true WHERE operation_id = $1', [
          attempt.operation_id,
        ]);
      return findings.map(({ size }) => size);
    };
    for (let n = 0; n < 3; n += 1) expect(await lose(n, 'commits')).toEqual([]);
    for (let n = 3; n < 6; n += 1) expect(await lose(n, 'is approved')).toEqual([]);
    expect(await lose(6, 'commits')).toEqual([]);
    for (let n = 7; n < 10; n += 1) expect(await lose(n, 'is rolled back')).toEqual([BOUND]);
  });

  it("of a child token continues its issuer's series", async () => {
    const child = await tenant.token({}, { parent_id: token });
    for (let n = 0; n < BOUND - 1; n += 1) {
      const attempt = await perform({ session_id: 's1' });
      expect(isFree(await examine(attempt, n))).toBe(true);
      await run.commit.run(reportOf(attempt, await emptied(attempt, n)));
    }
    const { attempt } = await run.perform(tenant, tenant.writeCall(child, { session_id: 's2' }));
    expect(isFree(await examine(attempt, BOUND))).toBe(false);
  });
});
