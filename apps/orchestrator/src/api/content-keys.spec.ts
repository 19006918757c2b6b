// SPDX-License-Identifier: Apache-2.0 No response of any route to any caller contains a content key.
import { randomBytes } from 'node:crypto';
import type { AdmitRequest, OperationView } from '@writ/contract';
import { sealContent, sealedRef } from '@writ/sealing';
import { ROUTES } from './routes.ts';
import { viewOf } from '../specs/fake-views.ts';
import { sampleOf } from '../specs/sample-requests.ts';
import { createFixture } from '../specs/tenant-fixture.ts';
import { openTestApi, PLATFORM_KEY, type TestApi, type TestTenant } from '../specs/test-api.ts';

const KEY = randomBytes(32);
const opens = { key: KEY.toString('base64'), attempt: 1 };
const SPELLINGS = [KEY.toString('base64'), KEY.toString('base64url'), KEY.toString('hex')];
const CLEAR = Buffer.from(JSON.stringify({ text: 'what it returned' }));

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());

/** What an attempt of the call stored, sealed. */
async function stored(operationId: string, kind: 'result' | 'stdout' | 'stderr') {
  return sealedRef(
    await api.blobs.put(
      tenant.tenantId,
      sealContent({ key: KEY, tenantId: tenant.tenantId, operationId, attempt: 1 }, kind, CLEAR),
    ),
  );
}

it('routes that show a call return its decrypted contents, and no route returns the key', async () => {
  const has = await createFixture(api, tenant);
  const { operation_id } = has;
  api.kernel.opens = opens;
  const view = api.kernel.find({ tenant_id: tenant.tenantId } as never, operation_id) as OperationView;
  api.kernel.keep(tenant.tenantId, operation_id, 'operation', {
    ...view,
    result: { ...view.result!, result_ref: await stored(operation_id, 'result') },
  });
  for (const kind of ['stdout', 'stderr'] as const)
    api.kernel.keep(tenant.tenantId, `${kind} of ${operation_id}`, 'output', {
      v: 1,
      ref: { ...(await stored(operation_id, kind)), cut: false },
      expires_at: 1,
      opens,
    });
  api.kernel.admits = async (call) =>
    viewOf(call, 'no_op', {}, { result_ref: await stored(call.operation_id, 'result') });
  const shown = new Set<string>();
  for (const { id, method, path, allowed } of ROUTES) {
    const { query = '', ...sample } = sampleOf(id, has);
    const keys =
      allowed === 'public'
        ? [undefined]
        : allowed === 'platform'
          ? [PLATFORM_KEY]
          : allowed.map((role) => (role === 'platform' ? PLATFORM_KEY : tenant[role]));
    for (const key of keys) {
      const filled = path.replaceAll(
        /\{([a-z_]+)\}/g,
        (_all, name: string) => (has as Record<string, string>)[name] ?? 'missing',
      );
      const { text, headers } = await api.ask(method, `${filled}${query}`, {
        ...sample,
        ...(key === undefined ? {} : { key }),
      });
      const said = `${text}\n${JSON.stringify([...headers])}`;
      for (const spelling of SPELLINGS) expect([id, said.includes(spelling)]).toEqual([id, false]);
      expect([id, /"(opens|args_key|content_key)"/.test(said)]).toEqual([id, false]);
      if (text.includes('what it returned')) shown.add(id);
    }
  }
  expect([...shown]).toEqual(
    expect.arrayContaining([
      'proposeToolCall',
      'readOperation',
      'readOutput',
      'approve',
      'deny',
      'editApproval',
      'giveValue',
      'cancelOperation',
      'resolveOperation',
      'runTurn',
    ]),
  );
  expect(api.kernel.requests.some(({ verb }) => verb === 'operation.result')).toBe(true);
}, 120_000);

it('the response to a call with long arguments does not contain their key', async () => {
  const has = await createFixture(api, tenant);
  const { agent_id, capability_token_id, workspace_id } = has;
  api.kernel.admits = (call) => viewOf(call, 'held');
  const answer = await api.ask('POST', '/v1/tool-calls', {
    key: tenant.admin,
    body: {
      tool_id: 'fs.write',
      args: { path: 'a', content: 'x'.repeat(100_000) },
      agent_id,
      capability_token_id,
      workspace_id,
    },
  });
  const { args_key } = api.kernel.requests.findLast(({ verb }) => verb === 'admit')?.request as AdmitRequest;
  expect(args_key).toMatch(/^.{43}=$/);
  expect(answer.status).toBe(202);
  expect(`${answer.text}${JSON.stringify([...answer.headers])}`).not.toContain(args_key);
});
