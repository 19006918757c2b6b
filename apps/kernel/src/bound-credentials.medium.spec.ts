// SPDX-License-Identifier: Apache-2.0
// Credentials that were exchanged, by raw messages to a whole kernel: whatever the API lets through, they are confined
// to the capability token that they are bound to.
import { Fault, KERNEL_REQUESTS, OperationView, parseMessage, type Caller, type Grant } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openTestProcess } from './specs/test-process.ts';
import { requires } from './specs/test-ports.ts';
import { TestTenant } from './specs/test-tenant.ts';

let process: Awaited<ReturnType<typeof openTestProcess>>;
beforeAll(async () => {
  process = await openTestProcess();
  process.policy.answer = requires('soft_gate');
  // The first statements of a process take longer than a request waits on a busy machine.
  const { tenantId } = await newTenant();
  const caller = { tenant_id: tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
  const page = { cursor: null, limit: 1 };
  const warm = () => refusalOf(ask('kernel.token.list', { v: 1, caller, page, agent_id: null }));
  let tries = 0;
  while ((await warm()) !== 'done' && tries < 10) tries += 1;
}, 120_000);
afterAll(() => process.close());

const ask = async <T = Record<string, unknown>>(name: string, payload: unknown): Promise<T> =>
  (await process.request(name, payload)) as T;
const newTenant = () => {
  const { admin, blobs, config } = process;
  return TestTenant.create(admin, blobs, config.masterKeys.current);
};

const END = Date.now() + 600_000;
const GRANT: Grant = {
  tools: ['fs.write'],
  fs: [{ path: '', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 0,
  expires_at: END,
};

/** An agent of a new tenant with two tokens, and a credential that was exchanged for a part of the first. */
async function scene(grant: Partial<Grant> = {}) {
  const tenant = await newTenant();
  const parent: Caller = {
    tenant_id: tenant.tenantId,
    api_key_id: newId('apiKey'),
    role: 'agent',
    agent_id: tenant.agentId,
  };
  const [token, other] = [await tenant.token(), await tenant.token()];
  const bound: Caller = { ...parent, api_key_id: newId('apiKey') };
  const exchange = (more: object = {}, by = parent) =>
    ask<{ capability_token_id: string; grant: Grant }>('kernel.credential.exchange', {
      v: 1,
      caller: by,
      api_key_id: bound.api_key_id,
      parent_id: token,
      grant: { ...GRANT, ...grant },
      ...more,
    });
  return { tenant, parent, bound, token, other, exchange };
}

const refusalOf = async (asked: Promise<unknown>): Promise<string> => {
  try {
    await asked;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
  return 'done';
};

describe('an exchange', () => {
  it('makes a token that is a part of the named one, for the same agent, and records both', async () => {
    const { tenant, parent, bound, token, exchange } = await scene();
    const child = await exchange();
    expect(child).toMatchObject({
      parent_id: token,
      agent_id: tenant.agentId,
      issuer: parent.api_key_id,
      grant: GRANT,
    });
    expect((await tenant.records()).slice(-2)).toMatchObject([
      { kind: 'token', change: { verb: 'token_attenuated', subject: child.capability_token_id } },
      { kind: 'change', actor: parent.api_key_id, change: { verb: 'credential_exchanged', subject: bound.api_key_id } },
    ]);
  });

  it.each([
    ['tools', { tools: ['*'] }],
    ['fs', { fs: [{ path: '', read: true, write: true }] }],
    ['net', { net: [{ domain: 'a.org', methods: ['GET'] }] }],
    ['secrets', { secrets: ['KEY'] }],
    ['budgets', { budgets: { calls: 11 } }],
    ['expires_at', { expires_at: END + 1 }],
  ] satisfies [string, Partial<Grant>][])(
    'that exceeds the token in `%s` makes and binds nothing',
    async (_in, wider) => {
      const { tenant, bound, exchange } = await scene();
      const narrow = { tools: ['fs.*'], fs: [{ path: 'src', read: true, write: true }], budgets: { calls: 10 } };
      const parent_id = await tenant.token({ ...narrow, expires_at: END });
      const grant = { ...GRANT, fs: narrow.fs, ...wider };
      const records = (await tenant.records()).length;
      expect(await refusalOf(exchange({ parent_id, grant }))).toBe('token.not_narrower');
      expect((await tenant.records()).length).toBe(records);
      const { rowCount } = await process.admin.query('SELECT 1 FROM kernel.bound_key WHERE api_key_id = $1', [
        bound.api_key_id,
      ]);
      expect(rowCount).toBe(0);
    },
  );

  it("is an agent's, of its own tokens, and binds a credential once", async () => {
    const { tenant, parent, exchange, other } = await scene();
    for (const role of ['admin', 'operator', 'auditor'] as const)
      expect(await refusalOf(exchange({}, { ...parent, role, agent_id: null }))).toBe('auth.role');
    const foreign = await newTenant();
    expect(await refusalOf(exchange({ parent_id: await foreign.token() }))).toBe('not_found');
    await exchange();
    expect(await refusalOf(exchange({ parent_id: other }))).not.toBe('done');
    expect(await tenant.countOf('operation')).toBe(0);
  });
});

it('a key that was revoked exchanges nothing, although the API let it through before', async () => {
  const { tenant, parent, exchange } = await scene();
  const by = { tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
  await ask('kernel.api_key.revoke', { v: 1, caller: by, api_key_id: parent.api_key_id });
  const records = (await tenant.records()).length;
  expect(await refusalOf(exchange())).toBe('key.revoked');
  expect((await tenant.records()).length).toBe(records);
});

describe('a credential that was exchanged', () => {
  it('proposes calls under its token alone', async () => {
    const { tenant, bound, token, other, exchange } = await scene();
    const { capability_token_id } = await exchange();
    const call = (id: string) => ask('kernel.admit', tenant.writeCall(id, { proposed_by: bound.api_key_id }));
    expect(parseMessage(OperationView, await call(capability_token_id))).toMatchObject({ state: 'held' });
    for (const elsewhere of [token, other]) expect(await refusalOf(call(elsewhere))).toBe('token.agent');
    expect(await tenant.countOf('operation')).toBe(1);
  });

  it('is confined in a group of admissions, too, which leaves the others as they are', async () => {
    const { tenant, bound, token, exchange } = await scene();
    await exchange();
    const own = () => ask<OperationView>('kernel.admit', tenant.writeCall(token));
    const foreign = () => ask('kernel.admit', tenant.writeCall(token, { proposed_by: bound.api_key_id }));
    const answers = await Promise.allSettled([own(), foreign(), own(), foreign(), own()]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('gets no replay of a call under another token, and no word about its idempotency key', async () => {
    const { tenant, parent, bound, token, exchange } = await scene();
    const { capability_token_id } = await exchange();
    const key = { idempotency_key: 'k' };
    const own = tenant.writeCall(token, { ...key, proposed_by: parent.api_key_id });
    const { operation_id } = await ask<OperationView>('kernel.admit', own);
    const { operation_id: _id, ...call } = own;
    const again = (more: object) =>
      ask<OperationView>('kernel.admit', {
        ...call,
        operation_id: newId('operation'),
        proposed_by: bound.api_key_id,
        ...more,
      });
    for (const more of [{}, { capability_token_id }, { args: { path: 'b.txt', content: 'other' } }])
      expect(await refusalOf(again(more))).toBe('token.agent');
    // The same key that proposed it gets the replay.
    expect(await again({ proposed_by: parent.api_key_id })).toMatchObject({ operation_id, replayed: true });
    expect(await tenant.countOf('operation')).toBe(1);
  });

  it('sees and ends only calls of its token', async () => {
    const { tenant, bound, token, exchange } = await scene();
    const { capability_token_id } = await exchange();
    const own = await ask<OperationView>(
      'kernel.admit',
      tenant.writeCall(capability_token_id, { proposed_by: bound.api_key_id }),
    );
    const others = await ask<OperationView>('kernel.admit', tenant.writeCall(token));
    for (const verb of ['read', 'cancel'])
      for (const [operation_id, code] of [
        [others.operation_id, 'not_found'],
        [newId('operation'), 'not_found'],
        [own.operation_id, 'done'],
      ])
        expect([verb, await refusalOf(ask(`kernel.operation.${verb}`, { v: 1, caller: bound, operation_id }))]).toEqual(
          [verb, code],
        );
    expect(await ask('kernel.token.read', { v: 1, caller: bound, capability_token_id })).toMatchObject({
      grant: GRANT,
    });
    expect(await refusalOf(ask('kernel.token.read', { v: 1, caller: bound, capability_token_id: token }))).toBe(
      'not_found',
    );
  });

  it('makes no tokens, exchanges nothing, and may ask for nothing else', async () => {
    const { tenant, bound, token, exchange } = await scene();
    const { capability_token_id } = await exchange();
    const asked = { v: 1, caller: bound };
    const again = { ...asked, api_key_id: newId('apiKey'), parent_id: capability_token_id, grant: GRANT };
    expect(await refusalOf(ask('kernel.credential.exchange', again))).toBe('auth.role');
    const child = { ...asked, parent_id: capability_token_id, agent_id: null, grant: GRANT };
    expect(await refusalOf(ask('kernel.token.attenuate', child))).toBe('auth.role');
    expect(await refusalOf(ask('kernel.token.revoke', { ...asked, capability_token_id: token }))).toBe('auth.role');
    // Whatever else takes a caller: each request of the table, whose content doesn't matter to who may ask it.
    const permitted = ['operation.read', 'operation.result', 'operation.output', 'operation.requests'];
    const more = ['operation.cancel', 'token.read', 'tool.list', 'call.defaults'];
    const verbs = Object.entries(KERNEL_REQUESTS).filter(([, { properties }]) => 'caller' in properties);
    expect(verbs.length).toBeGreaterThan(80);
    for (const [verb] of verbs.filter(([name]) => ![...permitted, ...more].includes(name)))
      expect([verb, await refusalOf(ask(`kernel.${verb}`, asked))]).toEqual([verb, 'auth.role']);
    expect(await tenant.countOf('operation')).toBe(0);
  });

  it('makes no token in the database either, for a kernel of another version', async () => {
    const { tenant, bound, exchange } = await scene();
    const { capability_token_id } = await exchange();
    await expect(
      process.admin.query(
        `INSERT INTO kernel.token (capability_token_id, tenant_id, agent_id, parent_id, chain, grant_json, issuer)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          newId('token'),
          tenant.tenantId,
          tenant.agentId,
          capability_token_id,
          [capability_token_id],
          GRANT,
          bound.api_key_id,
        ],
      ),
    ).rejects.toMatchObject({ code: 'WR012' });
  });

  it('ends with the key that it was exchanged for, and so do its calls', async () => {
    const { tenant, parent, bound, exchange } = await scene();
    const { capability_token_id } = await exchange();
    const call = () =>
      ask<OperationView>('kernel.admit', tenant.writeCall(capability_token_id, { proposed_by: bound.api_key_id }));
    const { operation_id } = await call();
    const by = { tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
    await ask('kernel.api_key.revoke', { v: 1, caller: by, api_key_id: parent.api_key_id });
    await expect.poll(async () => (await tenant.row(operation_id)).state).toBe('refused');
    const refused = await call();
    expect([refused.state, JSON.stringify(refused)]).toEqual(['refused', expect.stringContaining('key.revoked')]);
  });

  it('ends with its key for a kernel of another version, which knows no exchange', async () => {
    const { tenant, parent, bound, exchange } = await scene();
    const { capability_token_id } = await exchange();
    const call = tenant.writeCall(capability_token_id, { proposed_by: bound.api_key_id });
    const { operation_id } = await ask<OperationView>('kernel.admit', call);
    await process.admin.query(
      `WITH of AS (SELECT set_config('writ.tenant_id', $1, true))
       INSERT INTO kernel.revoked_key (tenant_id, api_key_id, revoked_at, revoked_by) SELECT $1, $2, 1, 'x' FROM of`,
      [tenant.tenantId, parent.api_key_id],
    );
    const { rows } = await process.admin.query<{ api_key_id: string }>(
      'SELECT api_key_id FROM kernel.revoked_key WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows.map(({ api_key_id }) => api_key_id)).toContain(bound.api_key_id);
    expect(await tenant.row(operation_id)).toMatchObject({ key_revoked: true, cancel_requested: true });
  });

  it('and has ended costs nothing when its key is revoked, however many there are', async () => {
    const { tenant, parent, bound, exchange } = await scene();
    await exchange();
    const [expired, ended] = [await tenant.token({ expires_at: 1 }), 50_000];
    await process.admin.query(
      `INSERT INTO kernel.bound_key (tenant_id, api_key_id, capability_token_id, exchanged_by)
       SELECT $1, 'key_ended' || n, $2, $3 FROM generate_series(1, $4::int) n`,
      [tenant.tenantId, expired, parent.api_key_id, ended],
    );
    const by = { tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
    const start = performance.now();
    await ask('kernel.api_key.revoke', { v: 1, caller: by, api_key_id: parent.api_key_id });
    // The limit is ten seconds.
    expect(performance.now() - start).toBeLessThan(5_000);
    const { rows } = await process.admin.query<{ api_key_id: string }>(
      'SELECT api_key_id FROM kernel.revoked_key WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows.map(({ api_key_id }) => api_key_id).sort()).toEqual([parent.api_key_id, bound.api_key_id].sort());
  }, 60_000);
});
