// SPDX-License-Identifier: Apache-2.0
import { readFacts } from '../../judging/judgement/index.ts';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import { requestBy, callerOf, refusalOf } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
});

const NO_READS =
  '@id("closed.reads") @reason("nothing is read here") @would_pass("another set") forbid (principal, action == Action::"fs.read", resource);';
const OPEN = setOf('open');
const CLOSED = setOf('closed', NO_READS);
const activate = (policy: string, more = {}) =>
  kernel.activate.run({ ...kernel.asAdmin(tenant), policy, if_active: null, note: null, ...more });
const rollBack = (more = {}) =>
  kernel.activate.rollBack({ ...kernel.asAdmin(tenant), if_active: null, note: null, ...more });
const stateOf = async (more = {}) => (await kernel.admit.run(tenant.call(token, more), null)).state;
const policyRecords = async () =>
  (await tenant.records()).filter(({ kind }) => kind === 'policy').map(({ change }) => change?.verb);

describe('a stored set', () => {
  it('is stored once, with a version number and a record that has its hash and no content', async () => {
    const first = await kernel.putSet(tenant, OPEN);
    expect(first).toMatchObject({
      valid: true,
      problems: [],
      policy: { name: 'open', version: 1, active: false, shipped: false },
    });
    expect(await kernel.putSet(tenant, { ...OPEN, cedar: OPEN.cedar })).toMatchObject({
      policy: { policy_hash: first.policy?.policy_hash, version: 1 },
    });
    expect(await kernel.putSet(tenant, setOf('open', NO_READS))).toMatchObject({ policy: { version: 2 } });
    const records = (await tenant.records()).filter(({ kind }) => kind === 'policy');
    expect(records).toMatchObject([
      { policy_hash: first.policy?.policy_hash, change: { verb: 'policy_stored', subject: first.policy?.policy_hash } },
      { change: { verb: 'policy_stored' } },
    ]);
    expect(JSON.stringify(records)).not.toContain('permit');
  });

  it('is not stored where it has problems: all are returned with their positions', async () => {
    const put = await kernel.putSet(tenant, {
      ...OPEN,
      ttl: { approval_ms: 1 },
      cedar:
        '@id("a") permit (principal, action, resource);\n@id("b") forbid (principal, action, resource) when { context.nothing };',
    });
    expect(put).toMatchObject({ valid: false, policy: null });
    expect(put.problems).toContainEqual(expect.objectContaining({ pointer: '/ttl/approval_ms' }));
    const rules = await kernel.putSet(tenant, {
      ...OPEN,
      cedar:
        '@id("a") permit (principal, action, resource);\n@id("b") forbid (principal, action, resource) when { context.nothing };',
    });
    expect(rules.problems).toMatchObject([{ pointer: '/cedar', line: 2, column: expect.any(Number) }]);
    expect((await kernel.show.list({ ...kernel.asAdmin(tenant), page: { cursor: null, limit: 10 } })).items).toEqual(
      [],
    );
  });

  it('has neither the name of a shipped set nor a hash as its name', async () => {
    for (const name of ['default', 'strict', 'observe', 'active', 'a'.repeat(64)])
      expect((await kernel.putSet(tenant, { ...OPEN, name })).problems).toMatchObject([{ pointer: '/name' }]);
  });

  it('is listed, found and activated only by its own tenant', async () => {
    const { policy } = await kernel.putSet(tenant, OPEN);
    const other = await kernel.newTenant();
    for (const ref of [policy?.policy_hash ?? '', 'open', 'open@1']) {
      expect((await kernel.show.read({ ...kernel.asAdmin(tenant), policy: ref })).document).toMatchObject({
        name: 'open',
      });
      expect(await refusalOf(kernel.show.read({ ...kernel.asAdmin(other), policy: ref }))).toMatchObject({
        code: 'not_found',
      });
      expect(
        await refusalOf(kernel.activate.run({ ...kernel.asAdmin(other), policy: ref, if_active: null, note: null })),
      ).toMatchObject({ code: 'not_found' });
    }
  });

  it('is stored and activated only by administrators, and agents see none', async () => {
    for (const role of ['operator', 'auditor', 'agent'] as const) {
      const asked = requestBy(callerOf(tenant.tenantId, role, role === 'agent' ? tenant.agentId : null));
      for (const asking of [
        kernel.put.run({ ...asked, document: { ...OPEN } }),
        kernel.activate.run({ ...asked, policy: 'strict', if_active: null, note: null }),
        kernel.activate.rollBack({ ...asked, if_active: null, note: null }),
      ]) {
        expect(await refusalOf(asking)).toMatchObject({ code: 'auth.role' });
      }
      const reading = kernel.show.read({ ...asked, policy: null });
      if (role === 'agent') expect(await refusalOf(reading)).toMatchObject({ code: 'auth.role' });
      else expect(await reading).toMatchObject({ name: 'default', active: true, shipped: true });
    }
  });
});

describe('an activation', () => {
  it('applies from the next decision on, with a record; a repeated one changes nothing', async () => {
    expect(await stateOf()).toBe('admitted');
    const { policy } = await kernel.putSet(tenant, CLOSED);
    expect(await stateOf()).toBe('admitted');
    expect(await activate('closed', { note: 'for the audit' })).toMatchObject({
      policy_hash: policy?.policy_hash,
      seq: 1,
      note: 'for the audit',
    });
    expect(await activate('closed')).toMatchObject({ seq: 1 });
    const view = await kernel.admit.run(tenant.call(token), null);
    expect(view.result?.error).toMatchObject({ code: 'policy.denied', message: 'nothing is read here' });
    expect((await tenant.row(view.operation_id)).policy_hash).toBe(policy?.policy_hash);
    expect(await policyRecords()).toEqual(['policy_stored', 'policy_activated']);
  });

  it("of a shipped set stores its current content, so another release doesn't change it", async () => {
    await activate('strict');
    expect(await kernel.show.list({ ...kernel.asAdmin(tenant), page: { cursor: null, limit: 10 } })).toMatchObject({
      active: { name: 'strict', version: 1 },
      items: [{ name: 'strict', active: true, shipped: true }],
    });
    expect(await stateOf({ tool_id: 'shell.run', args: { command: 'ls' }, idempotency_key: newId('request') })).toBe(
      'held',
    );
  });

  it.each([
    [
      'a rule about a category, which is a group',
      '@id("none") @reason("no") forbid (principal, action == Action::"write", resource);',
    ],
    [
      'a rule whose condition is never true',
      '@id("none") @reason("no") forbid (principal, action, resource) when { context.risk_milli > 1 && false };',
    ],
  ])('of a set with %s is refused, unless the caller allows it', async (_what, rule) => {
    const { warnings, policy } = await kernel.putSet(tenant, setOf('vain', rule));
    expect(warnings).toMatchObject([
      { pointer: '/cedar', line: 2, help: expect.stringContaining('`allow_impossible`') },
    ]);
    expect(await refusalOf(activate('vain'))).toMatchObject({
      code: 'policy.invalid',
      message: expect.stringMatching(/^2:1: .*allow_impossible/),
    });
    expect(await policyRecords()).toEqual(['policy_stored']);
    expect(await activate('vain', { allow_impossible: true })).toMatchObject({ policy_hash: policy?.policy_hash });
    // The active set stays active when it is activated again, and so does a set after a rollback.
    expect(await activate('vain')).toMatchObject({ policy_hash: policy?.policy_hash });
    await activate('strict');
    expect(await rollBack()).toMatchObject({ policy_hash: policy?.policy_hash });
  });

  it('is refused where the active set is not the one that the caller expects', async () => {
    await kernel.putSet(tenant, CLOSED);
    expect(await refusalOf(activate('closed', { if_active: 'strict' }))).toMatchObject({ code: 'conflict' });
    expect(await activate('closed', { if_active: 'default' })).toMatchObject({ seq: 1 });
    expect(await activate('default', { if_active: 'closed' })).toMatchObject({ seq: 2, name: 'default' });
  });

  it('succeeds for one of 8 concurrent callers that expect the same set', async () => {
    for (let n = 0; n < 8; n += 1) await kernel.putSet(tenant, setOf(`set-${String(n)}`));
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => activate(`set-${String(n)}`, { if_active: 'default' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is rolled back to the previously active set, and at first to the default set', async () => {
    expect(await refusalOf(rollBack())).toMatchObject({ code: 'conflict' });
    await kernel.install(tenant, CLOSED);
    await kernel.install(tenant, OPEN);
    expect(await rollBack()).toMatchObject({ name: 'closed', seq: 3 });
    expect(await stateOf()).toBe('refused');
    const alone = await kernel.newTenant();
    await kernel.install(alone, CLOSED);
    expect(await kernel.activate.rollBack({ ...kernel.asAdmin(alone), if_active: null, note: null })).toMatchObject({
      name: 'default',
      seq: 2,
    });
    expect(await policyRecords()).toEqual([
      'policy_stored',
      'policy_activated',
      'policy_stored',
      'policy_activated',
      'policy_rolled_back',
    ]);
  });

  it('of a set that this version reads differently decides nothing, and another set can be activated', async () => {
    await kernel.install(tenant, OPEN);
    await tenant.query(
      `INSERT INTO kernel.policy_set (tenant_id, policy_hash, name, version, document, created_by) SELECT tenant_id, repeat('0', 64), 'old', 1, document, created_by FROM kernel.policy_set WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    await tenant.query(
      `INSERT INTO kernel.policy_activation (tenant_id, seq, policy_hash, activated_by) VALUES ($1, 2, repeat('0', 64), 'spec')`,
      [tenant.tenantId],
    );
    expect(await refusalOf(kernel.admit.run(tenant.call(token), null))).toMatchObject({ code: 'policy.unreadable' });
    await activate('open');
    expect(await stateOf()).toBe('admitted');
  });
});

describe('the difference of two sets', () => {
  it('is shown rule by rule, with all other values', async () => {
    await kernel.install(tenant, OPEN);
    await kernel.putSet(tenant, { ...CLOSED, thresholds: { general: { soft_gate: 0.1 } } });
    const { rules, settings, from, to } = await kernel.show.diff({
      ...kernel.asAdmin(tenant),
      from: null,
      to: 'closed',
    });
    expect([from.active, to.active]).toEqual([true, false]);
    expect(rules.map(({ id, change }) => `${change} ${id}`)).toEqual([
      'removed open.all',
      'added closed.all',
      'added closed.reads',
    ]);
    expect(settings).toContainEqual({ pointer: '/thresholds/general/soft_gate', before: 0.6, after: 0.1 });
  });

  it('is part of a history that can be listed', async () => {
    await kernel.install(tenant, CLOSED);
    await kernel.install(tenant, OPEN);
    const first = await kernel.show.activations({ ...kernel.asAdmin(tenant), page: { cursor: null, limit: 1 } });
    const second = await kernel.show.activations({
      ...kernel.asAdmin(tenant),
      page: { cursor: first.next_cursor, limit: 1 },
    });
    expect([first.items, second.items, second.next_cursor]).toMatchObject([
      [{ name: 'open', seq: 2 }],
      [{ name: 'closed', seq: 1 }],
      null,
    ]);
  });
});

describe('the active set determines', () => {
  it('how long a held call waits for a person', async () => {
    await kernel.install(
      tenant,
      setOf(
        'quick',
        '@id("quick.ask") @reason("ask") forbid (principal, action, resource) when { context.supervision == "autopilot" };',
        { ttl: { approval_ms: 5_000 } },
      ),
    );
    const { approval_id, created_at } = await kernel.admit.run(tenant.call(token), null);
    const { expires_at } = await kernel.approvals.read({ ...kernel.asAdmin(tenant), approval_id: approval_id ?? '' });
    expect(expires_at - created_at).toBeGreaterThan(4_000);
    expect(expires_at - created_at).toBeLessThanOrEqual(5_000);
  });

  it('who must approve', async () => {
    await kernel.install(
      tenant,
      setOf(
        'four-eyes',
        '@id("ask") @reason("ask") @quorum("2") forbid (principal, action, resource) when { context.supervision != "escalated" };',
      ),
    );
    const call = tenant.call(token);
    const facts = await readFacts(kernel.tenants, kernel.policies, call);
    const judgement = await kernel.judge.judge({
      call,
      prior: null,
      facts,
      args: { value: { path: 'a.txt' }, canonical: Buffer.from('{}'), ref: null },
      approval: null,
    });
    expect(judgement).toMatchObject({ verdict: 'held', approvers: { count: 2, role: 'admin' } });
  });
});
