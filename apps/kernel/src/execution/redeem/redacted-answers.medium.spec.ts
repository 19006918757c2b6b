// SPDX-License-Identifier: Apache-2.0
import type { HttpTool, ReportRequest } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { credentialsOf, putSealed, reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const CANARY = 'canary-31f0-of-an-api';
const ORDER: Omit<HttpTool, 'version'> = {
  v: 1,
  kind: 'http',
  tool_id: 'api.crm.createCustomer',
  description: 'Creates a customer.',
  category: 'write',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  result: { type: 'object', properties: { email: { type: 'string' } } },
  timeout_ms: 5_000,
  method: 'POST',
  server: 'https://api.outside.example/v1',
  path: '/customers',
  inputs: [],
  body: null,
  credentials: [],
  idempotency_header: null,
};
const answer = (body: unknown, status = 200) => ({
  status,
  headers: {},
  body,
  encoding: 'json',
  size: 14,
  truncated: false,
});

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let attempt: Attempt;
let redact: readonly string[] | undefined;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  const token = await tenant.token({ net: [{ domain: 'api.outside.example', methods: ['POST'] }] });
  kernel.policy.answer = () => ({ ...AUTOPILOT, redactions: [{ rule: 'email', pointers: ['/body/email'] }] });
  const file = { http: [ORDER] };
  const applied = await manage.applyTools.run({ ...requestBy(callerOf(tenant.tenantId)), file, dry_run: false });
  expect(applied.problems).toEqual([]);
  const call = tenant.writeCall(token, { tool_id: ORDER.tool_id, args: {} });
  expect(await kernel.admit.run(call, null)).toMatchObject({ state: 'admitted' });
  const performed = await run.performAdmitted(tenant, call.operation_id, 'broker');
  attempt = performed.attempt;
  redact = performed.redemption.redact;
});

const report = async (result: unknown, more: Partial<ReportRequest> = {}) => {
  await run.renew.effectStarted(credentialsOf(attempt));
  await run.commit.run(reportOf(attempt, null, { result, ...more }));
  return await tenant.row(attempt.operation_id);
};
const byReference = async (result: unknown) => {
  const bytes = canonicalBytes(result);
  const result_ref = await putSealed(kernel, attempt, 'result', bytes);
  return await report(null, { result_ref, result_hash: sha256Hex(bytes) });
};

describe('the answer of an API of which a rule redacts something', () => {
  it('is redacted by the executor, which gets the pointers when it redeems the permit', async () => {
    expect(redact).toEqual(['/body/email']);
    expect(await report(answer({ email: '[redacted]', id: 7 }))).toMatchObject({
      state: 'committed',
      fault_code: null,
    });
  });

  it.each([
    ['by value', report],
    ['by reference', byReference],
  ])('and that is reported %s with the member is kept nowhere: its call ends in doubt', async (_how, send) => {
    const row = await send(answer({ email: CANARY }));
    expect(row).toMatchObject({ state: 'ambiguous', result_hash: null, result_ref: null });
    const { result } = await manage.readOperation.run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: attempt.operation_id,
    });
    expect(result).toMatchObject({ result: null });
    expect(JSON.stringify(result)).not.toContain(CANARY);
  });

  it('is kept by reference once it is redacted', async () => {
    expect(await byReference(answer({ email: '[redacted]' }))).toMatchObject({ state: 'committed' });
  });

  it.each([
    ['a text in place of the object', answer(JSON.stringify({ email: CANARY }))],
    ['a list in place of the object', answer([{ email: CANARY }])],
  ])('has no other form to hide in: %s', async (_form, result) => {
    expect(await report(result)).toMatchObject({ state: 'ambiguous', result_hash: null });
  });

  it('is redacted whole at its top where the API did not succeed', async () => {
    const failed = { ended: 'failed' as const, error: { code: 'api.refused', message: 'why', hint: null } };
    const row = await report(answer({ why: 'no customer' }, 404), failed);
    expect(row).toMatchObject({ fault_code: 'effect.ambiguous', result_hash: null });
  });

  it('has no full output beside it', async () => {
    const bytes = Buffer.from(CANARY);
    const kept = {
      ...(await putSealed(kernel, attempt, 'stdout', bytes)),
      cut: false,
      content_sha256: sha256Hex(bytes),
    };
    const { rows } = await kernel.admin.query(`SELECT kernel.keep_output($1, $2, $3, $4, $5, $6, $6, 1000) AS kept`, [
      tenant.tenantId,
      attempt.operation_id,
      attempt.attempt,
      attempt.executor_id,
      attempt.nonce,
      JSON.stringify(kept),
    ]);
    expect(rows).toEqual([{ kept: false }]);
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ whole_output: null });
  });
});
