// SPDX-License-Identifier: Apache-2.0
// Variables of tools-xml through turns: what a person gives fills a file and a command, and a secret fills no file.
import { vi } from 'vitest';
import { makeWorld, sharedStack, type JsonValue, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SECRET = 'marker-9b1e-of-a-person';
let world: World;
let capability_token_id: string;

beforeAll(async () => {
  const stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  const grant = {
    tools: ['value.get', 'fs.*', 'shell.session'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  capability_token_id = (
    await world.admin.must('/v1/capability-tokens', { agent_id: world.agentId, workspace_id: world.workspaceId, grant })
  ).capability_token_id as string;
});

const post = (turn_id: string, inside: string, over: JsonValue = {}) =>
  world.agent.post('/v1/turns?wait=50000', {
    dialect: 'tools-xml',
    output: `<tools>${inside}</tools>`,
    session_id: 'variables',
    turn_id,
    capability_token_id,
    workspace_id: world.workspaceId,
    ...over,
  });
/** Asks for a value, gives it for the session, and posts the turn again. */
async function give(turn_id: string, inside: string, value: string): Promise<JsonValue> {
  const asked = await post(turn_id, inside);
  expect([asked.status, asked.body.state]).toEqual([202, 'held']);
  await world.operator.must(`/v1/approvals/${asked.body.calls[0].approval_id as string}/value`, {
    value,
    scope: 'session',
  });
  return (await post(turn_id, inside)).body;
}

it('a value that is no secret fills the content of a file, and the escape writes the text itself', async () => {
  const ask = '<get_value key="REGION" reason="to write it down" secret="false"/>';
  expect((await give('ask', ask, 'eu-west')).calls[0]).toMatchObject({ standing: 'completed' });
  const { body } = await post(
    'fill',
    '<edit><file src="a.txt"><find>one</find><replace>$KARYI{REGION} $$KARYI{REGION}</replace></file></edit>',
  );
  expect(body.calls[0]).toMatchObject({
    standing: 'completed',
    tool_id: 'fs.edit',
    args: { path: 'a.txt', edits: [{ find: 'one', replace: 'eu-west $KARYI{REGION}' }] },
  });
  const { body: read } = await post('read', '<read><file src="a.txt"/></read>');
  expect(read.messages[0].content).toContain('<![CDATA[eu-west $KARYI{REGION}\n]]>');
  expect(
    (await post('elsewhere', '<read><file src="$KARYI{REGION}"/></read>', { session_id: 'other' })).body,
  ).toMatchObject({ calls: [{ standing: 'failed', error: { code: 'value.missing' } }] });
});

it('a secret that no token grants is used by the session to which a person gives it, and fills no file', async () => {
  const command = '<command>printf %s "$KARYI{PASSWORD}" | wc -c</command>';
  expect((await post('before', command)).body.calls[0]).toMatchObject({ error: { code: 'token.scope' } });
  await give('password', '<get_value key="PASSWORD" reason="to sign in"/>', SECRET);
  const used = await post('after', command);
  expect(used.body.messages[0].content).toMatch(new RegExp(`status="ok"[^]*\\b${String(SECRET.length)}\\b`));
  const typed = await post(
    'typed',
    '<command>read -r WORD; printf %s "$WORD" | wc -c</command><input>$KARYI{PASSWORD}\\n</input>',
  );
  expect(typed.body.messages[0].content).toMatch(new RegExp(`\\*\\*\\*PASSWORD\\*\\*\\*[^]*${String(SECRET.length)}`));
  const filled = await post('filled', '<read><search pattern="$KARYI{PASSWORD}"/></read>');
  expect(filled.body.calls[0]).toMatchObject({
    standing: 'failed',
    error: { code: 'value.missing', message: expect.stringContaining('`$KARYI{PASSWORD}` stands in') as string },
  });
  for (const { text } of [used, typed, filled]) expect(text).not.toContain(SECRET);
});
