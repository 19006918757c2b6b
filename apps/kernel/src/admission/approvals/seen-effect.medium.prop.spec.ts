// SPDX-License-Identifier: Apache-2.0
// For every way to approve, and whatever happens between the look and the approval: the approval covers the effect that
// its giver saw, or is refused.
import * as fc from 'fast-check';
import { vi } from 'vitest';
import type { Caller, KernelRequest, OperationView } from '@writ/contract';
import { HeldCalls } from '../../execution/held/index.ts';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

/** Each run makes a tenant and some calls: a quarter of a second. */
const RUNS = 40;
const HOUR_MS = 3_600_000;

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
afterAll(async () => {
  await manage.tenancy.close();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const EVENTS = ['its preview ends', 'others change the file', 'a person finds it stale'] as const;
const WAYS = ['alone', 'as one of two', 'by a delegation', 'for the session'] as const;

/** A held call, and the effects that were shown of it. */
class Scene {
  readonly #tenant: TestTenant;
  readonly #quorum: number;
  #held: OperationView | null = null;
  /** the content of the file once an effect commits, by its digest */
  readonly texts = new Map<string, string>();
  readonly looks: (string | null)[] = [];
  #previews = 0;
  #isAsked = true;

  constructor(tenant: TestTenant, quorum: number) {
    this.#tenant = tenant;
    this.#quorum = quorum;
  }

  async hold(): Promise<void> {
    kernel.policy.answer = requires('soft_gate', this.#quorum);
    const token = await this.#tenant.token({ budgets: { calls: 20, cpu_ms: 1_000_000 } });
    // A session grant needs a session.
    this.#held = await kernel.admit.run(this.#tenant.writeCall(token, { session_id: 'of-a-test' }), null);
    await this.look();
  }

  get approval_id(): string {
    return this.#held?.approval_id ?? '';
  }

  async now(): Promise<string | null> {
    return await shownEffectDigest(kernel, this.#tenant.tenantId, this.approval_id);
  }

  async look(): Promise<void> {
    this.looks.push(await this.now());
  }

  async happens(event: (typeof EVENTS)[number]): Promise<void> {
    if (event === 'others change the file') return await this.#others();
    if (event === 'a person finds it stale') return await this.#stale();
    if (!this.#isAsked || this.#held === null) return;
    this.#isAsked = false;
    this.#previews += 1;
    const text = `shown ${this.#previews}`;
    await run.preview(this.#tenant, this.#held, { 'a.txt': text });
    this.texts.set(String(await this.now()), text);
  }

  async #others(): Promise<void> {
    kernel.policy.answer = () => AUTOPILOT;
    const { attempt } = await run.perform(this.#tenant, this.#tenant.writeCall(await this.#tenant.token()));
    await run.commit.run(
      reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': `theirs ${newId('operation')}` })),
    );
    kernel.policy.answer = requires('soft_gate', this.#quorum);
  }

  /** Approves the shown effect, and gets the fault that it is previewed again. The second time the call would end. */
  async #stale(): Promise<void> {
    if (this.#previews !== 1 || this.#isAsked) return;
    await this.#others();
    for (let votes = 0; votes < this.#quorum; votes += 1) {
      const said = this.yes({ effect_digest: await this.now() });
      await (votes + 1 < this.#quorum ? said : expect(said).rejects.toMatchObject({ code: 'approval.previewed_anew' }));
    }
    this.#isAsked = true;
  }

  async yes(body: Partial<KernelRequest<'approval.decide'>>, principal?: string): Promise<OperationView> {
    const caller: Caller = {
      tenant_id: this.#tenant.tenantId,
      api_key_id: newId('apiKey'),
      role: 'operator',
      agent_id: null,
      ...(principal === undefined ? {} : { principal }),
    };
    return await kernel.decide.run({
      v: 1,
      caller,
      approval_id: this.approval_id,
      decision: 'approve',
      comment: null,
      ...body,
    });
  }

  async state(): Promise<unknown> {
    return [
      (await this.#tenant.row(this.#held?.operation_id ?? '')).state,
      (
        await kernel.approvals.read({
          v: 1,
          caller: { tenant_id: this.#tenant.tenantId, api_key_id: newId('apiKey'), role: 'auditor', agent_id: null },
          approval_id: this.approval_id,
        })
      ).voted.filter(({ stands }) => stands).length,
    ];
  }
}

async function bodyOf(
  tenant: TestTenant,
  way: (typeof WAYS)[number],
): Promise<Partial<KernelRequest<'approval.decide'>>> {
  if (way === 'for the session') return { session: { uses: 1, ttl_ms: 60_000 } };
  if (way !== 'by a delegation') return {};
  const lender: Caller = {
    tenant_id: tenant.tenantId,
    api_key_id: newId('apiKey'),
    role: 'operator',
    agent_id: null,
    principal: 'ann',
  };
  const scope = { tools: null, agent_id: null, autonomy_mode: 'soft_gate' as const };
  const { delegation_id } = await manage.delegations.create({
    v: 1,
    caller: lender,
    to: 'bob',
    scope,
    note: 'away',
    expires_at: Date.now() + HOUR_MS,
  });
  return { delegation_id };
}

describe.each(WAYS)('an approval that is given %s', (way) => {
  it('covers the effect that was shown or is refused, whatever happens between look and approval', async () => {
    const reached = { covered: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...EVENTS, 'a look' as const), { maxLength: 5 }),
        fc.nat(),
        fc.option(fc.constantFrom(...EVENTS)),
        async (events, which, meanwhile) => {
          const tenant = await kernel.newTenant();
          await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
          const scene = new Scene(tenant, way === 'as one of two' ? 2 : 1);
          await scene.hold();
          for (const event of events) await (event === 'a look' ? scene.look() : scene.happens(event));
          const seen = scene.looks[which % scene.looks.length] ?? null;
          const body = { ...(await bodyOf(tenant, way)), effect_digest: seen };
          const waits = await scene.now();
          const before = [await scene.state(), await textsAt(kernel, tenant, ['a.txt'])];
          // An event during the decision comes after the kernel has read the pending effect.
          if (meanwhile === 'its preview ends') {
            const find = HeldCalls.prototype.find;
            vi.spyOn(HeldCalls.prototype, 'find').mockImplementationOnce(async function (this: HeldCalls, ...of) {
              const held = await find.apply(this, of);
              await scene.happens(meanwhile);
              return held;
            });
          }
          const answer = await scene
            .yes(body, way === 'by a delegation' ? 'bob' : undefined)
            .catch((error: unknown) => error as { code: string });
          vi.restoreAllMocks();
          if ('code' in answer) {
            reached.refused += 1;
            if (answer.code === 'approval.previewed_anew') expect(seen).toBe(waits);
            else {
              expect([answer.code, seen === waits && meanwhile === null]).toEqual(['approval.effect_unseen', false]);
              expect([await scene.state(), await textsAt(kernel, tenant, ['a.txt'])]).toEqual(before);
            }
            return;
          }
          reached.covered += 1;
          expect(seen).toBe(waits);
          if (answer.state === 'committed')
            expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': scene.texts.get(String(seen)) });
          // An approval of the action admits the call, and its effect is checked later. An effect that went stale twice
          // ends the call.
          else expect(seen === null ? ['admitted', 'held'] : ['held', 'refused']).toContain(answer.state);
        },
      ),
      { numRuns: RUNS },
    );
    expect([reached.covered > 0, reached.refused > 0]).toEqual([true, true]);
  }, 120_000);
});
