// SPDX-License-Identifier: Apache-2.0
import type { Caller, ProposedCall } from '@writ/contract';
import { DIALECTS } from '@writ/dialects';
import { newId } from '@writ/nest-kit';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { textDialectOf } from '../../runs/conversations/conversation.ts';
import { CallServices, drivePartsOf } from '../../runs/driving/drive-parts.ts';
import { Models } from '../../runs/models/models.ts';
import { viewOf } from '../../specs/fake-views.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';
import { RunWork, type OpenRun } from '../../store/session-rows/sessions.ts';

const NOTES = 'Keep it short.\n';
let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let admitted: ProposedCall[];
/** the text of CODE.md; null: the call that reads it is refused */
let notes: string | null;

beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  [admitted, notes] = [[], NOTES];
  api.kernel.admits = (call) => {
    admitted.push(call);
    return notes === null
      ? viewOf(call, 'refused', {}, { error: { code: 'path.denied', message: 'no', hint: null } })
      : viewOf(call, 'committed', {}, { result: { path: 'CODE.md', content: notes, encoding: 'utf8' } });
  };
});

const ask = (dialect: string, key = tenant.agent, query = `&workspace_id=${has.workspace_id}`) =>
  api.ask('GET', `/v1/prompts?dialect=${dialect}&capability_token_id=${has.capability_token_id}${query}`, { key });

/** The system prompt that a session of the same agent, token and workspace begins with. */
async function sessionPrompt(dialect: string): Promise<string> {
  const { app } = api;
  const { prompt } = drivePartsOf(
    {
      kernel: app.get(KernelClient),
      work: app.get(RunWork),
      models: app.get(Models),
      callServices: app.get(CallServices),
    },
    { meter: api.telemetry.meter, tenantCostMax: null, publish: () => undefined, withPerson: async (caller) => caller },
  );
  const caller: Caller = {
    tenant_id: tenant.tenantId,
    api_key_id: newId('apiKey'),
    role: 'agent',
    agent_id: tenant.agentId,
  };
  const session = {
    session_id: newId('session'),
    agent_id: tenant.agentId,
    capability_token_id: has.capability_token_id,
    workspace_id: has.workspace_id,
    job_id: null,
    dialect,
    model: 'm',
    content: { system: null, base: [] },
  };
  const open = { session, run: { run_id: newId('run') } } as unknown as OpenRun;
  return (await prompt(caller, open, textDialectOf({ dialect }))).system;
}

test.each(DIALECTS)('the prompt in `%s` is byte for byte what a session begins with', async (dialect) => {
  const { status, json } = await ask(dialect);
  const system = String(json['system']);
  expect({ status, system: Buffer.from(system) }).toEqual({
    status: 200,
    system: Buffer.from(await sessionPrompt(dialect)),
  });
  expect(system.endsWith(`\n\nNotes of this workspace (\`CODE.md\`):\n${NOTES}`)).toBe(true);
});

test('the notes are read by a call of the agent that is decided and recorded, also for an administrator', async () => {
  for (const key of [tenant.agent, tenant.admin]) await ask('yips', key);
  expect(admitted).toMatchObject(
    Array(2).fill({
      tool_id: 'fs.read',
      args: { path: 'CODE.md' },
      agent_id: tenant.agentId,
      capability_token_id: has.capability_token_id,
      workspace_id: has.workspace_id,
      provenance: { source: 'api' },
    }),
  );
});

test('notes that the agent may not read are left out, as in a session', async () => {
  notes = null;
  const { status, json } = await ask('blocks');
  expect({ status, system: json['system'] }).toEqual({ status: 200, system: await sessionPrompt('blocks') });
  expect(json['system']).not.toContain('CODE.md');
});

test('without a workspace there are no notes, and no call is made', async () => {
  const { json } = await ask('blocks', tenant.operator, '');
  expect(json['system']).not.toContain('CODE.md');
  expect(admitted).toEqual([]);
});

test.each(['operator', 'auditor'] as const)('the role %s, which makes no calls, names no workspace', async (role) => {
  const { status, json } = await ask('blocks', tenant[role]);
  expect({ status, code: json['code'] }).toEqual({ status: 403, code: 'auth.role' });
  expect(admitted).toEqual([]);
});
