// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { viewOf } from '../../specs/fake-views.ts';
import { REPLIED } from '../../specs/session-steps.ts';
import { openTestApi, type TestAnswer, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
  api.kernel.admits = async (call) =>
    viewOf(call, 'no_op', {}, { result: call.tool_id === 'agent.spawn' ? { allowed: true } : { entries: [] } });
});
afterAll(() => api.close());

const ACTIONS = [
  { type: 'subagent', id: 'a1', task: 'look around' },
  { type: 'tool', id: 'l1', name: 'run_command', arguments: { command: 'ls', timeoutMs: LIMITS.commandMs.max + 1 } },
];
const post = (): Promise<TestAnswer> =>
  api.ask('POST', '/v1/turns?wait=0', {
    key: tenant.agent,
    body: {
      dialect: 'yips',
      output: `\`\`\`yips-agent\n${JSON.stringify({ actions: ACTIONS })}\n\`\`\``,
      session_id: 'mine',
      turn_id: 't1',
      capability_token_id: has.capability_token_id,
      workspace_id: has.workspace_id,
    },
  });

test('a turn whose sub-agent is at work is under way, and ends with its last text', async () => {
  // The same operation answers the call each time, as the kernel's idempotency key makes it.
  const decide = api.kernel.admits;
  const views = new Map<string, ReturnType<typeof decide>>();
  api.kernel.admits = async (call) => {
    const key = call.idempotency_key ?? '';
    views.set(key, views.get(key) ?? decide(call));
    return await views.get(key)!;
  };
  const first = await post();
  expect([first.status, first.json]).toMatchObject([
    202,
    {
      state: 'under_way',
      calls: [{ standing: 'executing', state: 'no_op' }, { standing: 'queued' }],
      problems: [
        {
          level: 'warning',
          call_id: 'l1',
          message: expect.stringContaining(`${String(LIMITS.commandMs.max)} was used`),
        },
      ],
    },
  ]);
  const run = api.runs.runs.find(({ asked }) => asked.input === 'look around')!;
  expect(JSON.stringify(first.json['messages'])).toContain(run.row.run_id);
  run.events.push({ seq: 1, at: 1, event: REPLIED });
  run.row = { ...run.row, state: 'ended', stopped: 'end', rounds: 1 };
  const second = await post();
  expect([second.status, second.json]).toMatchObject([
    200,
    { state: 'ended', calls: [{ standing: 'completed' }, { standing: 'completed' }] },
  ]);
  expect(JSON.stringify(second.json['messages'])).toContain('hello');
});

test('the prompt of a turn offers sub-agents where a model is set up and the token grants them', async () => {
  const { capability_token_id } = await issue(['agent.spawn']);
  expect(await promptFor(capability_token_id)).toContain('- subagent subagent {task, context?');
  expect(await promptFor(has.capability_token_id)).not.toContain('- subagent subagent');
});

const issue = async (tools: string[]): Promise<{ capability_token_id: string }> =>
  (
    await api.ask('POST', '/v1/capability-tokens', {
      key: tenant.admin,
      body: {
        agent_id: tenant.agentId,
        workspace_id: null,
        grant: { tools, fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + 60_000 },
      },
    })
  ).json as { capability_token_id: string };
const promptFor = async (tokenId: string): Promise<string> =>
  String(
    (await api.ask('GET', `/v1/prompts?dialect=yips&capability_token_id=${tokenId}`, { key: tenant.agent })).json[
      'system'
    ],
  );
