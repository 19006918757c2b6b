// SPDX-License-Identifier: Apache-2.0
// The law of connections, over any order of what persons, administrators and executors do: a call has the newest token
// of its own person while that person is connected, and none otherwise.
import fc from 'fast-check';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { PersonTokens } from '../../execution/person-tokens/index.ts';
import { connectionScene, TOKENS, type Person } from '../../specs/connection-scene.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
const scene = connectionScene(() => ({ kernel, manage, tenant }));

/** What a person has by what was done so far. */
interface Model {
  readonly who: Person;
  connection: string | null;
  token: string | null;
}
const STEPS = ['connect', 'end', 'renew', 'lose', 'refuse', 'revoke'] as const;
type Step = readonly [step: (typeof STEPS)[number], person: number];

const tokenOf = (n: number): typeof TOKENS => ({
  ...TOKENS,
  access_token: `access-${String(n)}`,
  refresh_token: `refresh-${String(n)}`,
});

/** Does the work that is due until none is: new tokens for refreshes, and revocations. */
async function work(models: readonly Model[], count: { n: number }, isRefused = false): Promise<void> {
  for (let claim = await scene.claimWork(); claim !== null; claim = await scene.claimWork()) {
    const model = models.find(({ connection }) => connection === claim?.connection_id);
    if (claim.work === 'revoke') expect(model).toBeUndefined();
    if (claim.work === 'revoke' || model === undefined) {
      await scene.report(claim, {});
      continue;
    }
    expect((await scene.secretsOf(claim))['refresh_token']).toBe(model.token?.replace('access', 'refresh'));
    if (isRefused) {
      await scene.report(claim, { problem: { code: 'mcp.consent_required', message: 'invalid_grant' }, final: true });
      Object.assign(model, { connection: null, token: null });
      continue;
    }
    const tokens = tokenOf((count.n += 1));
    expect(await scene.report(claim, { tokens })).toBe(true);
    model.token = tokens.access_token;
  }
}

async function take(models: readonly Model[], [step, person]: Step, count: { n: number }): Promise<void> {
  const model = models[person]!;
  const { who, connection } = model;
  const expired = async (): Promise<void> => {
    if (connection === null) return;
    await scene.expireIn(connection, 0);
    const key = who.caller.api_key_id;
    const { resource_id } = await scene.rowOf(connection);
    const of = { tenant: tenant.tenantId, key, resource: String(resource_id) };
    expect(await kernelSql.mcpToken(kernel.tenants.pool, of)).toEqual({ status: 'waits' });
  };
  if (step === 'connect') {
    const tokens = tokenOf((count.n += 1));
    model.connection = await scene.connect(who, tokens);
    model.token = tokens.access_token;
  } else if (step === 'end' && connection !== null) {
    await manage.mcpConnections.end({ ...requestBy(who.caller), connection_id: connection });
    Object.assign(model, { connection: null, token: null });
  } else if (step === 'revoke') {
    await manage.revokeKey.run({ ...requestBy(scene.admin()), api_key_id: who.caller.api_key_id });
    // The person goes on with another credential.
    const caller = { ...who.caller, api_key_id: scene.admin().api_key_id };
    Object.assign(model, { who: { ...who, caller }, connection: null, token: null });
  } else if (step === 'lose') {
    await expired();
    await scene.claimWork();
    if (connection !== null)
      await kernel.admin.query('UPDATE kernel.mcp_connection SET claim_until = 0 WHERE connection_id = $1', [
        connection,
      ]);
  } else if (step === 'renew' || step === 'refuse') await expired();
  await work(models, count, step === 'refuse');
}

it('a call has the newest token of its own person alone, whatever happens in whatever order', async () => {
  const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat({ max: 2 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
      await kernel.admin.query('UPDATE kernel.mcp_connection SET due_at = 9e15 WHERE work IS NOT NULL');
      tenant = await kernel.newTenant();
      const resource = await scene.registered();
      const models = ['ann', 'bob', 'eve'].map((name): Model => ({
        who: scene.person(name),
        connection: null,
        token: null,
      }));
      const tokens = new PersonTokens(kernel.tenants, kernel.vault);
      const count = { n: 0 };
      for (const one of steps) {
        await take(models, one, count);
        for (const { who, token } of models) {
          const found = await tokens.find(tenant.tenantId, who.caller.api_key_id, resource);
          expect(found.status === 'ready' ? found.token : null).toBe(token);
        }
      }
    }),
    { numRuns: 12 },
  );
}, 120_000);
