// SPDX-License-Identifier: Apache-2.0
import type { AppliedRedaction, Caller, Envelope, FunctionOutcome, FunctionToolSource } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT, requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const CANARY = 'canary-9d41-of-a-customer';
const ASKED = 'canary-77aa-of-an-argument';
const REDACTIONS: AppliedRedaction[] = [
  { rule: 'crm.email', pointers: ['/customer/email', '/items/*/iban'] },
  { rule: 'crm.note', pointers: ['/note'] },
];
const LOOK_UP: FunctionToolSource = {
  name: 'crm.look_up',
  description: 'Looks a customer up.',
  category: 'write',
  mode: 'pull',
  parameters: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
  result: {
    type: 'object',
    properties: { customer: { type: 'object' }, items: { type: 'array' }, note: { type: 'integer' } },
    required: ['customer', 'note'],
    additionalProperties: false,
  },
};
const RESULT = {
  customer: { email: CANARY, name: 'n' },
  items: [{ iban: CANARY, n: 1 }, { iban: [{ deep: CANARY }] }],
  note: 733_411_902,
};
const KEPT = {
  customer: { email: '[redacted]', name: 'n' },
  items: [{ iban: '[redacted]', n: 1 }, { iban: '[redacted]' }],
  note: '[redacted]',
};

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
let worker: Caller;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token();
  worker = { ...callerOf(tenant.tenantId), api_key_id: newId('apiKey'), role: 'worker', tools: ['crm.*'] };
  kernel.policy.answer = () => ({ ...AUTOPILOT, redactions: REDACTIONS });
  await manage.applyTools.run({
    ...requestBy(callerOf(tenant.tenantId)),
    file: { functions: [LOOK_UP] },
    dry_run: false,
  });
});

const admin = () => requestBy({ ...callerOf(tenant.tenantId), api_key_id: newId('apiKey') });
const propose = async () =>
  await kernel.admit.run(tenant.writeCall(token, { tool_id: LOOK_UP.name, args: { customer: ASKED } }), null);
const perform = async (outcome: FunctionOutcome): Promise<string> => {
  const permit = (await run.functionCalls.take({ ...requestBy(worker), operation_id: null })).permit as Envelope;
  const held = { ...requestBy(worker), permit, nonce: newNonce() };
  const { operation_id, args } = await run.functionCalls.redeem(held);
  expect(args).toEqual({ customer: ASKED });
  await run.functionCalls.report({ ...held, outcome });
  return operation_id;
};
const read = async (operation_id: string) => await manage.readOperation.run({ ...admin(), operation_id });
/** All that the database holds of the tenant in clear, in every table of every schema. */
const everythingStored = async (): Promise<string> => {
  const { rows } = await kernel.admin.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  );
  const texts: string[] = [];
  for (const { name } of rows) {
    const found = await kernel.admin.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM ${name} t`);
    texts.push(JSON.stringify(found.rows), ...found.rows.map(({ row }) => clearOf(row)));
  }
  return texts.join('\n');
};
/** Columns of bytes come in hexadecimal: records are such bytes. */
const clearOf = (row: unknown): string =>
  Object.values(row as object)
    .filter((value): value is string => typeof value === 'string' && value.startsWith('\\x'))
    .map((value) => Buffer.from(value.slice(2), 'hex').toString('latin1'))
    .join('\n');
const expectNowhere = async (operation_id: string): Promise<void> => {
  const view = JSON.stringify(await read(operation_id));
  const stored = await everythingStored();
  expect(stored).toContain(operation_id);
  for (const canary of [CANARY, ASKED, '733411902', Buffer.from(CANARY).toString('base64')]) {
    expect(view).not.toContain(canary);
    expect(stored).not.toContain(canary);
  }
};

describe('the result of a function of which rules redact members', () => {
  it('is checked as it came, kept and shown without them, and its hash is of what is kept', async () => {
    await propose();
    const operation_id = await perform({ outcome: 'succeeded', result: RESULT });
    const { result, redactions, state } = await read(operation_id);
    expect(state).toBe('committed');
    expect(result).toMatchObject({ status: 'ok', result: KEPT, result_hash: sha256Hex(canonicalBytes(KEPT)) });
    expect(redactions).toEqual(REDACTIONS);
    await expectNowhere(operation_id);
  });

  it('is named in the record of the decision by rules and pointers, and in no other record', async () => {
    await propose();
    await perform({ outcome: 'succeeded', result: RESULT });
    const records = (await tenant.records()).filter(({ kind }) => kind === 'tool_call');
    expect(records.map(({ phase, redactions }) => [phase, redactions])).toEqual([
      ['decision', REDACTIONS],
      ['outcome', undefined],
    ]);
  });

  it.each([
    ['does not fit its schema', { outcome: 'succeeded', result: { [CANARY]: 1, note: CANARY } }],
    ['is a text', { outcome: 'succeeded', result: JSON.stringify(RESULT) }],
    ['is a failure', { outcome: 'failed', message: `no customer ${CANARY}` }],
    ['is in doubt', { outcome: 'unknown', message: `lost ${CANARY}` }],
  ] as const)('that %s repeats no value', async (_what, outcome) => {
    await propose();
    const operation_id = await perform(outcome);
    expect(['rolled_back', 'ambiguous']).toContain((await read(operation_id)).state);
    await expectNowhere(operation_id);
  });

  it('is redacted by the decision after an approval, not by that which held the call', async () => {
    kernel.policy.answer = requires('soft_gate');
    const held = await propose();
    expect(held).toMatchObject({ state: 'held' });
    kernel.policy.answer = () => ({ ...requires('soft_gate')(), redactions: REDACTIONS });
    await kernel.decide.run({ ...admin(), approval_id: held.approval_id ?? '', decision: 'approve', comment: null });
    const operation_id = await perform({ outcome: 'succeeded', result: RESULT });
    expect((await read(operation_id)).result).toMatchObject({ result: KEPT });
    await expectNowhere(operation_id);
  });

  it('is as it came where no rule redacts anything, and its records have no such member', async () => {
    kernel.policy.answer = () => AUTOPILOT;
    await propose();
    const operation_id = await perform({ outcome: 'succeeded', result: RESULT });
    const view = await read(operation_id);
    expect(view.result).toMatchObject({ result: RESULT });
    expect(view).not.toHaveProperty('redactions');
    for (const record of await tenant.records()) expect(record).not.toHaveProperty('redactions');
  });
});
