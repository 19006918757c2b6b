// SPDX-License-Identifier: Apache-2.0
//
// Calls on registered resources: what they are decided on, and that they run on nothing else.
import { RESOURCE_KINDS, TOKEN_LISTED_KINDS, type OperationView, type ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { ShellRegistry } from '../../execution/shells/index.ts';
import { credentialsOf, reportOf, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { changeSettings, grantResource, putResource } from '../../specs/test-resources.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ resources: ['container:*'], net: [{ domain: '*.example.org', methods: ['GET'] }] });
  kernel.policy.answer = () => AUTOPILOT;
});

const engine = (url = 'https://searx.example.org', name = 'default') =>
  ({ kind: 'search_engine', name, settings: { kind: 'searxng', url } }) as const;
const container = (name: string) => ({ kind: 'container', name, settings: { workspace_id: null } }) as const;
const call = (tool_id: string, args: Record<string, unknown>, more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.call(token, { tool_id, args, idempotency_key: newId('request'), ...more });
const search = (args: Record<string, unknown> = {}): ProposedCall =>
  call('web.search', { query: 'x', ...args }, { idempotency_key: null });
const decide = (proposed: ProposedCall): Promise<OperationView> => kernel.admit.run(proposed, null);
const refusalOf = async (proposed: ProposedCall) => {
  const { code, message, hint } = (await decide(proposed)).result?.error ?? {};
  return { code, message, hint };
};
const MADE = { container: { resource_id: `res_${'0'.repeat(26)}`, name: 'said-by-the-executor' } };
/** Runs a call to its end; its executor reports success. */
async function done(proposed: ProposedCall): Promise<OperationView> {
  const { attempt } = await run.perform(tenant, proposed);
  await run.commit.run(reportOf(attempt, null, { result: MADE }));
  return await decide(proposed);
}

describe('a call on a resource', () => {
  it('is decided on the resource that it names, by name or by id, and is sent its settings', async () => {
    const id = await putResource(tenant, engine());
    await putResource(tenant, engine('https://papers.example.org', 'papers'));
    for (const [args, url] of [
      [{}, 'https://searx.example.org'],
      [{ engine: id }, 'https://searx.example.org'],
      [{ engine: 'papers' }, 'https://papers.example.org'],
    ] as const) {
      const proposed = search(args);
      expect(await decide(proposed)).toMatchObject({ state: 'admitted' });
      const { redemption } = await run.performAdmitted(tenant, proposed.operation_id, 'broker');
      expect(redemption.resources).toMatchObject([{ kind: 'search_engine', settings: { url } }]);
    }
  });

  it('has the ids of its resources in its row', async () => {
    const id = await putResource(tenant, engine());
    const proposed = search();
    await decide(proposed);
    expect(await tenant.row(proposed.operation_id)).toMatchObject({ resource_ids: [id] });
  });

  it('needs a token that grants the host of the resource', async () => {
    await putResource(tenant, engine('https://searx.elsewhere.example'));
    expect(await refusalOf(search())).toMatchObject({ code: 'token.scope' });
  });

  it('is refused alike for a resource that does not exist, is not granted, or is of another tenant', async () => {
    const other = await kernel.newTenant();
    await putResource(other, container('theirs'));
    await grantResource(other, 'container');
    await putResource(tenant, container('ours'));
    const access = (name: string) => call('container.access', { container: name }, { idempotency_key: null });
    const [missing, theirs, ours] = await Promise.all(
      ['missing', 'theirs', 'ours'].map((name) => refusalOf(access(name))),
    );
    expect(missing).toMatchObject({ code: 'resource.unknown' });
    expect([theirs, ours]).toEqual([missing, missing]);
  });

  it('says how to get what its arguments imply, where there is none', async () => {
    expect(await refusalOf(search())).toMatchObject({
      code: 'tool.not_available',
      hint: expect.stringContaining('writ resource create search_engine default') as unknown,
    });
  });

  it('is refused under a token that does not list the resource, whatever the agent is granted', async () => {
    await putResource(tenant, container('build'));
    await grantResource(tenant, 'container');
    token = await tenant.token({ resources: ['container:other'] });
    expect(await refusalOf(call('container.access', { container: 'build' }, { idempotency_key: null }))).toMatchObject({
      code: 'token.scope',
      hint: expect.stringContaining('container:build') as unknown,
    });
  });

  it.each(['soft_gate', 'escalated'] as const)(
    'is held where its grant has the clearance %s, whatever less policy requires',
    async (clearance) => {
      await putResource(tenant, engine());
      await grantResource(tenant, 'search_engine', { clearance });
      const proposed = search();
      expect(await decide(proposed)).toMatchObject({ state: 'held' });
      expect(await tenant.row(proposed.operation_id)).toMatchObject({
        autonomy_mode: clearance,
        reasons: [expect.objectContaining({ code: 'resource.clearance' })],
      });
    },
  );

  it.each(['soft_gate', 'escalated'] as const)(
    'needs from the start as many persons as policy requires at the clearance %s',
    async (clearance) => {
      await putResource(tenant, engine());
      await grantResource(tenant, 'search_engine', { clearance });
      kernel.policy.quorum = { soft_gate: 2, escalated: 3 };
      const proposed = search();
      await decide(proposed);
      kernel.policy.quorum = { soft_gate: 1, escalated: 1 };
      const { rows } = await kernel.admin.query('SELECT quorum FROM kernel.approval WHERE operation_id = $1', [
        proposed.operation_id,
      ]);
      expect(rows).toEqual([{ quorum: clearance === 'soft_gate' ? 2 : 3 }]);
    },
  );

  it('is refused where it names `*`, as one that is not there, whatever kinds are granted', async () => {
    token = await tenant.token({ resources: TOKEN_LISTED_KINDS.map((kind) => `${kind}:*`) });
    for (const kind of RESOURCE_KINDS) await grantResource(tenant, kind);
    const text = { text: 'x' };
    for (const [tool, args] of [
      ['agent.describe', { agent: '*' }],
      ['agent.manage', { agent: '*', change: 'cancel' }],
      ['audio.transcribe', { device: '*', last_seconds: 5 }],
      ['calendar.find', { calendar: '*', range: { start: '2026-03-29T00:00:00Z', end: '2026-03-30T00:00:00Z' } }],
      ['container.access', { container: '*' }],
      ['email.find', { mailbox: '*' }],
      ['shell.session', { container: '*', command: 'true' }],
      ['vecdb.query', { store: '*', ...text }],
      ['web.search', { engine: '*', query: 'x' }],
    ] as const)
      expect([tool, await refusalOf(call(tool, args))]).toMatchObject([tool, { code: 'resource.unknown' }]);
  });

  it('is refused where its container is for another workspace', async () => {
    await grantResource(tenant, 'container');
    const of = (name: string, workspace_id: string) => ({
      kind: 'container' as const,
      name,
      settings: { workspace_id },
    });
    await putResource(tenant, of('here', tenant.workspaceId));
    await putResource(tenant, of('elsewhere', newId('workspace')));
    for (const tool of ['container.access', 'shell.session'] as const) {
      const args = tool === 'shell.session' ? { command: 'true' } : {};
      const key = () => (tool === 'shell.session' ? newId('request') : null);
      const ask = (name: string) => call(tool, { container: name, ...args }, { idempotency_key: key() });
      expect(await decide(ask('here'))).toMatchObject({ state: 'admitted' });
      expect(await refusalOf(ask('elsewhere'))).toMatchObject({
        code: 'token.scope',
        message: '`/container`: the container `elsewhere` is for another workspace',
      });
    }
  });

  it('is judged by policy with its kind, name and owner', async () => {
    await putResource(tenant, engine());
    const seen: unknown[] = [];
    kernel.policy.answer = ({ registered }) => {
      seen.push(registered);
      return AUTOPILOT;
    };
    await decide(search());
    expect(seen).toEqual([[expect.objectContaining({ kind: 'search_engine', name: 'default', owner_agent_id: null })]]);
  });
});

describe('a call whose resource changes after its decision', () => {
  it.each([
    [
      'has other settings',
      'tool.changed',
      (id: string) => changeSettings(tenant, id, engine('https://evil.example.org')),
    ],
    [
      'is removed',
      'resource.unknown',
      (id: string) => tenant.query('UPDATE kernel.resource SET removed_at = 1 WHERE resource_id = $1', [id]),
    ],
    [
      'is no longer granted',
      'resource.unknown',
      () =>
        tenant.query("DELETE FROM kernel.resource_grant WHERE kind = 'search_engine' AND tenant_id = $1", [
          tenant.tenantId,
        ]),
    ],
  ] as const)('does not run where it %s', async (_what, code, change) => {
    const id = await putResource(tenant, engine());
    const proposed = search();
    expect(await decide(proposed)).toMatchObject({ state: 'admitted' });
    await change(id);
    await expect(run.performAdmitted(tenant, proposed.operation_id, 'broker')).rejects.toMatchObject({ code });
    expect(await tenant.row(proposed.operation_id)).toMatchObject({ tx_outcome: 'no_op', fault_code: code });
  });
});

describe('a container', () => {
  beforeEach(async () => {
    await grantResource(tenant, 'container', { right: 'create', agentId: tenant.agentId });
  });

  it('is registered for its agent when the call that makes it commits, and not before', async () => {
    const make = call('container.create', { name: 'build' });
    const access = () => call('container.access', { container: 'build' }, { idempotency_key: null });
    const { attempt } = await run.perform(tenant, make);
    expect(await refusalOf(access())).toMatchObject({ code: 'resource.unknown' });
    await run.commit.run(reportOf(attempt, null, { result: MADE }));
    expect(await tenant.row(make.operation_id)).toMatchObject({
      state: 'committed',
      commit_delta_id: expect.stringMatching(/^delta_/) as unknown,
    });
    const { redemption } = await run.perform(tenant, access());
    expect(redemption.container).toEqual({
      resource_id: make.operation_id.replace('op_', 'res_'),
      name: 'build',
      shell: 'none',
      opened_at: null,
    });
  });

  it('is not made by a call that fails, nor twice by a report that is repeated', async () => {
    const count = () =>
      kernel.admin.query('SELECT 1 FROM kernel.resource WHERE kind = $1 AND tenant_id = $2', [
        'container',
        tenant.tenantId,
      ]);
    const { attempt: failing } = await run.perform(tenant, call('container.create', { name: 'a' }));
    await run.commit.run(
      reportOf(failing, null, {
        ended: 'failed',
        error: { code: 'limit.exceeded', message: 'm', hint: null },
        result: null,
      }),
    );
    expect((await count()).rowCount).toBe(0);
    const { attempt } = await run.perform(tenant, call('container.create', { name: 'a' }));
    const report = reportOf(attempt, null, { result: MADE });
    expect(await run.commit.run(report)).toEqual(await run.commit.run(report));
    expect((await count()).rowCount).toBe(1);
  });

  it('of a name that is taken is refused, also where another call took it while this one ran', async () => {
    const late = call('container.create', { name: 'build' });
    const { attempt } = await run.perform(tenant, late);
    await done(call('container.create', { name: 'build' }));
    expect(await refusalOf(call('container.create', { name: 'build' }))).toMatchObject({ code: 'resource.exists' });
    expect(await run.commit.run(reportOf(attempt, null, { result: MADE }))).toMatchObject({
      tx_outcome: 'rolled_back',
    });
    expect(await tenant.row(late.operation_id)).toMatchObject({ fault_code: 'resource.exists', commit_delta_id: null });
  });

  it('is made only by an agent that may make one, under a token that lists it', async () => {
    token = await tenant.token({ resources: ['container:other'] });
    expect(await refusalOf(call('container.create', { name: 'build' }))).toMatchObject({ code: 'token.scope' });
    await tenant.query(`DELETE FROM kernel.resource_grant WHERE kind = 'container' AND tenant_id = $1`, [
      tenant.tenantId,
    ]);
    expect(await refusalOf(call('container.create', { name: 'other' }))).toMatchObject({ code: 'policy.denied' });
  });

  it('has one shell for all sessions of a token, apart from those of the sessions', async () => {
    await done(call('container.create', { name: 'build' }));
    const perform = async (args: Record<string, unknown>, session_id: string) =>
      (await run.perform(tenant, call('shell.session', { command: 'true', ...args }, { session_id }))).attempt;
    // Once a shell lives, only its executor gets the calls of its session.
    const [first, second, own] = [
      await perform({ container: 'build' }, 's1'),
      await perform({ container: 'build' }, 's2'),
      await perform({}, 's1'),
    ];
    const registry = new ShellRegistry(kernel.tenants);
    const attach = (attempt: Attempt, shell_id: string) =>
      registry.attach({ ...credentialsOf(attempt), opens: true, shell_id });
    const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string];
    expect(await attach(first, a)).toMatchObject({ verdict: 'opened', shell_id: a });
    expect(await attach(second, b)).toMatchObject({ verdict: 'elsewhere', shell_id: a });
    expect(await attach(own, c)).toMatchObject({ verdict: 'opened', shell_id: c });
  });

  describe('whose shell lives', () => {
    const SHELL = 'a'.repeat(32);
    let id: string;
    const perform = async (args: Record<string, unknown>, session_id: string | null) =>
      (await run.perform(tenant, call('shell.session', { command: 'true', ...args }, { session_id }))).attempt;
    const attach = async (attempt: Attempt, shell_id = SHELL) =>
      await new ShellRegistry(kernel.tenants).attach({ ...credentialsOf(attempt), opens: true, shell_id });
    beforeEach(async () => {
      id = await putResource(tenant, container('build'));
      await grantResource(tenant, 'container', { resourceId: id });
    });

    it.each([
      ['its id', () => id],
      ['its key', () => `container:${id}`],
      ['its name', () => 'build'],
      ['no session', () => null],
    ])('gives it to no call whose session is called like %s', async (_what, session) => {
      const [inside, outside] = [await perform({ container: 'build' }, 's1'), await perform({}, session())];
      expect(await attach(inside)).toMatchObject({ verdict: 'opened', shell_id: SHELL });
      const other = 'b'.repeat(32);
      expect(await attach(outside, other)).toMatchObject({ verdict: 'opened', shell_id: other });
    });

    it('gives it to no call once the grant was taken back', async () => {
      expect(await attach(await perform({ container: 'build' }, 's1'))).toMatchObject({ verdict: 'opened' });
      await tenant.query('DELETE FROM kernel.resource_grant WHERE resource_id = $1', [id]);
      const late = call('shell.session', { command: 'true', container: id }, { session_id: id });
      expect(await refusalOf(late)).toMatchObject({ code: 'resource.unknown' });
      const outside = await perform({}, id);
      expect(await attach(outside, 'b'.repeat(32))).toMatchObject({ verdict: 'opened', shell_id: 'b'.repeat(32) });
    });

    it('is shown with its shell: to its agent as open, and to people with its id and no session', async () => {
      await attach(await perform({ container: 'build' }, id));
      await attach(await perform({}, id), 'b'.repeat(32));
      const access = call('container.access', { container: 'build' }, { idempotency_key: null });
      const { redemption } = await run.perform(tenant, access);
      expect(redemption.container).toMatchObject({ resource_id: id, shell: 'open' });
      const shells = (
        await kernelSql.containers(kernel.tenants.pool, {
          tenant: tenant.tenantId,
          session_tool: 'shell.session',
          id: null,
          before: Number.MAX_SAFE_INTEGER,
          before_id: '',
          rows: 10,
        })
      ).filter(({ kind }) => kind === 'session');
      expect(shells).toHaveLength(2);
      expect(shells).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ container_id: SHELL, session_id: null, resource_id: id }),
          expect.objectContaining({ container_id: 'b'.repeat(32), session_id: id, resource_id: null }),
        ]),
      );
    });
  });
});

describe('a call on an audio device', () => {
  const device = (name: string) =>
    ({ kind: 'audio_device', name, settings: { retention_seconds: 60, buffer_bytes: 65_536 } }) as const;
  const redemptionOf = async (args: Record<string, unknown>) => {
    const proposed = call('audio.transcribe', args, { idempotency_key: null });
    expect(await decide(proposed)).toMatchObject({ state: 'admitted' });
    return (await run.performAdmitted(tenant, proposed.operation_id, 'broker')).redemption;
  };

  it('gets the key of that device with its redemption, and any other call gets none', async () => {
    token = await tenant.token({ resources: ['audio_device:*', 'model:*'] });
    const ids = [await putResource(tenant, device('one')), await putResource(tenant, device('two'))];
    for (const resourceId of ids) await grantResource(tenant, 'audio_device', { resourceId });
    const keys = [];
    for (const name of ['one', 'two', 'one']) keys.push((await redemptionOf({ device: name })).audio_key);
    expect(keys[0]).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(keys[2]).toBe(keys[0]);
    expect(keys[1]).not.toBe(keys[0]);
    expect((await redemptionOf({ path: 'a.wav' })).audio_key).toBeUndefined();
  });
});

it.each([
  ['task.create', 'task', 'a task', { title: 'x' }],
  ['agent.spawn', 'agent', 'an agent', { task: 'x' }],
])('%s needs the grant to make one', async (tool_id, kind, what, args) => {
  await tenant.query(`DELETE FROM kernel.resource_grant WHERE tenant_id = $1 AND kind = $2 AND "right" = 'create'`, [
    tenant.tenantId,
    kind,
  ]);
  expect(await refusalOf(call(tool_id, args))).toMatchObject({
    code: 'policy.denied',
    message: `this agent may not make ${what}`,
    hint: `an administrator lets it do so with \`writ resource grant ${kind} --create --agent ID\``,
  });
});
