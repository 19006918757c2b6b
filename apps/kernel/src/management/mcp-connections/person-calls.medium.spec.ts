// SPDX-License-Identifier: Apache-2.0
// Calls of MCP servers under the rights of persons: each has the token of its own person, or doesn't run.
import { RESOURCE_SECRET_PREFIX, type ProposedCall } from '@writ/contract';
import { redeemedContext } from '@writ/sealing';
import { openConnectionSpec, TOKENS, type Person } from '../../specs/connection-scene.ts';
import { box, LOOK } from '../../specs/mcp-scene.ts';
import { newNonce, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { grantResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let ann: Person;
let bob: Person;
let token: string;
const scene = openConnectionSpec(async (on, of) => {
  ({ kernel, run, manage } = on);
  tenant = of;
  await tenant.write({ 'a.txt': 'hello' });
  kernel.policy.answer = () => AUTOPILOT;
  [ann, bob] = [person('ann'), person('bob')];
  await scene.registered();
  await scene.list(LOOK);
  await scene.accept(scene.chosen(LOOK));
  token = await tenant.token({ net: [{ domain: 'mcp.outside.example', methods: ['POST'] }] });
  await grantResource(tenant, 'mcp_server');
});
const { person, connect, claimedWork, report, expireIn } = scene;
const call = (who: Person | null, more: Partial<ProposedCall> = {}) =>
  tenant.writeCall(token, {
    tool_id: 'mcp.github.look',
    args: { place: 'here' },
    ...(who === null ? {} : { proposed_by: who.caller.api_key_id }),
    ...more,
  });
const verdictOf = async (proposed: ProposedCall): Promise<string> => {
  const { state, result } = await kernel.admit.run(proposed, null);
  return result?.error?.code ?? state;
};
/** Admits and dispatches the call, and returns what redeems its permit. */
async function dispatched(proposed: ProposedCall) {
  expect(await verdictOf(proposed)).toBe('admitted');
  run.speak(100);
  run.dispatcher.wake('broker');
  const permit = await run.permitOf(proposed.operation_id, 'broker');
  const public_key = (await box.publicKey()).toString('base64');
  const credentials = { executor_id: newId('executor'), nonce: newNonce() };
  return { ...credentials, redeem: () => run.redeem.run({ v: 1, permit, public_key, ...credentials }) };
}
async function tokenIn({ sealed = {}, operation_id }: Awaited<ReturnType<TestExecution['redeem']['run']>>) {
  const name = `${RESOURCE_SECRET_PREFIX}person-token`;
  const context = redeemedContext(tenant.tenantId, operation_id, name);
  return (await box.open(Buffer.from(sealed[name] ?? '', 'base64'), context)).toString();
}
const stateOf = async ({ operation_id }: ProposedCall) => await tenant.row(operation_id);

describe('a call of a server that acts under the rights of each person', () => {
  it('is refused for a key that is no person’s, and for a person who has not consented', async () => {
    await connect(ann);
    const byKey = await kernel.admit.run(call(null), null);
    expect(byKey.result?.error).toMatchObject({
      code: 'mcp.consent_required',
      message: expect.stringContaining('of no person'),
    });
    await scene.ask(bob);
    const { result } = await kernel.admit.run(call(bob), null);
    expect(result?.error).toMatchObject({
      code: 'mcp.consent_required',
      message: expect.stringContaining('not connected'),
      hint: expect.stringContaining('writ mcp-server connect github'),
    });
    expect(await verdictOf(call(ann))).toBe('admitted');
  });

  it('has the token of the person whose credential proposed it, sealed to its executor', async () => {
    await connect(ann);
    await connect(bob, { ...TOKENS, access_token: 'marker-of-bob' });
    for (const [who, expected] of [
      [ann, 'marker-access-1'],
      [bob, 'marker-of-bob'],
    ] as const) {
      const { redeem } = await dispatched(call(who));
      const redemption = await redeem();
      expect(JSON.stringify(redemption)).not.toContain('marker');
      expect(await tokenIn(redemption)).toBe(expected);
    }
  });

  it('is not answered with what another person got under the same idempotency key', async () => {
    await connect(ann);
    await connect(bob);
    const key = { idempotency_key: 'k' };
    const { operation_id } = await kernel.admit.run(call(ann, key), null);
    const { state, replayed, result } = await kernel.admit.run(call(bob, key), null);
    expect({ state, replayed, error: result?.error }).toMatchObject({
      state: 'refused',
      replayed: false,
      error: { code: 'idempotency.mismatch', message: expect.stringContaining('on behalf of another person') },
    });
    // Also where both have the name of one person, as two issuers may give it: their rights at the server differ.
    const named = { ...key, person: newId('person') };
    await kernel.admin.query('UPDATE kernel.operation SET person = $2 WHERE operation_id = $1', [
      operation_id,
      named.person,
    ]);
    expect(await verdictOf(call(bob, named))).toBe('idempotency.mismatch');
    expect(await kernel.admit.run(call(ann, named), null)).toMatchObject({ operation_id, replayed: true });
  });

  it('that waits for its token to be renewed is not redeemed, loses no attempt, and runs with the new one', async () => {
    const id = await connect(ann);
    const proposed = call(ann);
    const { redeem } = await dispatched(proposed);
    await expireIn(id, 10_000);
    for (let n = 0; n < 3; n += 1) expect(await refusalOf(redeem())).toMatchObject({ code: 'overloaded' });
    expect(await stateOf(proposed)).toMatchObject({ state: 'dispatched', attempt: 1, leases_lost: 0 });
    await report(await claimedWork(), { tokens: { ...TOKENS, access_token: 'marker-new' } });
    expect(await tokenIn(await redeem())).toBe('marker-new');
    expect(await stateOf(proposed)).toMatchObject({ state: 'performing', attempt: 1 });
  });

  it('whose token can not be renewed ends, and nothing was sent', async () => {
    const id = await connect(ann);
    const proposed = call(ann);
    const { redeem } = await dispatched(proposed);
    await expireIn(id, 0);
    await refusalOf(redeem());
    await report(await claimedWork(), { problem: { code: 'mcp.token_unavailable', message: 'down' } });
    expect(await refusalOf(redeem())).toMatchObject({ code: 'mcp.token_unavailable' });
    expect(await stateOf(proposed)).toMatchObject({ state: 'rolled_back', fault_code: 'mcp.token_unavailable' });
  });

  it('whose person ended the connection since it was admitted does not run', async () => {
    const connection_id = await connect(ann);
    const proposed = call(ann);
    const { redeem } = await dispatched(proposed);
    await manage.mcpConnections.end({ ...requestBy(ann.caller), connection_id });
    expect(await refusalOf(redeem())).toMatchObject({ code: 'mcp.consent_required' });
    expect(await stateOf(proposed)).toMatchObject({ state: 'rolled_back', fault_code: 'mcp.consent_required' });
    expect(await verdictOf(call(ann))).toBe('mcp.consent_required');
  });

  it('that the server does not take makes the token due for renewal, once a minute', async () => {
    const id = await connect(ann);
    const refuse = async () => {
      const proposed = call(ann);
      const { redeem, executor_id, nonce } = await dispatched(proposed);
      const { attempt, operation_id, state_snapshot_id } = await redeem();
      const made = { tenant, operation_id, attempt, executor_id, nonce, snapshot: state_snapshot_id };
      const error = { code: 'mcp.refused' as const, message: 'HTTP 401', hint: null };
      await run.commit.run(reportOf(made, null, { ended: 'failed', error, result: null }));
    };
    await refuse();
    expect(await scene.claimWork()).toBeNull();
    await kernel.admin.query('UPDATE kernel.mcp_connection SET renewed_at = 0, tried_at = 0 WHERE connection_id = $1', [
      id,
    ]);
    await refuse();
    expect(await claimedWork()).toMatchObject({ connection_id: id, work: 'refresh' });
  });

  it('of another tenant’s person of the same key has nothing', async () => {
    await connect(ann);
    const subject = { ...requestBy(scene.admin(await kernel.newTenant())), verb: 'oauth_credential_created' };
    await manage.recordChange.run({ ...subject, subject: ann.caller.api_key_id, subject_hash: ann.subject_hash });
    expect(await verdictOf(call(ann))).toBe('admitted');
    const stolen = {
      ...subject,
      caller: scene.admin(),
      subject: ann.caller.api_key_id,
      subject_hash: bob.subject_hash,
    };
    expect(await refusalOf(manage.recordChange.run(stolen))).toMatchObject({ code: 'auth.invalid' });
  });
});
