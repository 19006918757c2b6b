// SPDX-License-Identifier: Apache-2.0
// Special behaviour of dialects, as their documents describe it, through real sessions: the pause for a variable in
// tools-xml, and the repair round and the guidance of Yips.
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  serveModels,
  sharedStack,
  type JsonValue,
  type Proxy,
  type SharedStack,
  type World,
} from '@writ/stack';
import { chatChunk, WireServer, type WireRequest } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SECRET = 'marker-71c0-of-a-person';
const LENGTH = String(SECRET.length);
const fence = (...actions: object[]): string => `\`\`\`yips-agent\n${JSON.stringify({ actions })}\n\`\`\``;
const reads = (id: string, path: string): object => ({ type: 'tool', id, name: 'read_file', arguments: { path } });

/** The replies of each model in order, for any run of its session. */
const SAYS: Readonly<Record<string, readonly string[]>> = {
  asks: [
    'I need a token.\n<tools><get_value key="NPM_TOKEN" reason="to publish" note="of the registry"/></tools>',
    '<tools><command>KEPT="$KARYI{NPM_TOKEN}"; printf %s "$KEPT" | wc -c; echo "$KEPT"</command></tools>',
    'It is done.',
  ],
  looks: [
    '<tools><read><file src="src"/></read></tools>',
    'Look: <tools><read><file src="a.txt"/></read></tools>',
    'It is done.',
  ],
  mends: [
    `${fence(reads('a', 'a.txt'))}\nand\n${fence(reads('b', 'a.txt'))}`,
    `I look.\n${fence(reads('c', 'a.txt'))}`,
    'It says one.',
  ],
  fails: [fence(reads('a', 'none.txt')), fence(reads('b', 'none/either.txt')), 'There is no such file.', 'Still none.'],
};

type Reported = { readonly role: string; readonly content: string };
const told = ({ body }: WireRequest): Reported[] => body['messages'] as Reported[];
const reply = (asked: WireRequest): string[] => {
  const n = told(asked).filter(({ role }) => role === 'assistant').length;
  return [
    ...(SAYS[String(asked.body['model'])]?.[n]?.match(/[^]{1,7}/g) ?? []).map((content) => chatChunk({ content })),
    chatChunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];
};

let stack: SharedStack;
let world: World;
let wire: WireServer;
let served: Proxy;

beforeAll(async () => {
  wire = await new WireServer().open();
  wire.script = (asked) => ({ chunks: reply(asked), end: 'whole' });
  served = await serveModels('dialect-scenes', wire.url);
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'src/b.txt': 'two\n' } });
});
afterAll(async () => {
  await served?.close();
  await wire?.close();
});

async function session(dialect: string, model: string, capability_token_id = world.tokenId): Promise<string> {
  return (
    await world.agent.must('/v1/sessions', { workspace_id: world.workspaceId, capability_token_id, model, dialect })
  ).session_id as string;
}
const begin = async (sessionId: string, input = 'do it'): Promise<string> =>
  (await world.agent.must(`/v1/sessions/${sessionId}/runs`, { input })).run_id as string;
const until = (runId: string, state: string): Promise<JsonValue> =>
  eventually(
    `${runId} ${state}`,
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${runId}`);
      return body.state === state ? body : null;
    },
    120_000,
  );
const transcript = async (sessionId: string): Promise<JsonValue[]> =>
  (await world.auditor.get(`/v1/sessions/${sessionId}/transcript`)).body.runs as JsonValue[];
const requestsOf = (model: string): Reported[][] =>
  wire.requests.filter(({ body }) => body['model'] === model).map(told);

it('a variable that tools-xml requests pauses the run, and the next command uses it unseen', async () => {
  const token = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['fs.*', 'shell.*', 'value.get'],
      fs: [{ path: '', read: true, write: true }],
      net: [],
      secrets: ['NPM_TOKEN'],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    },
  });
  const sessionId = await session('tools-xml', 'asks', token.capability_token_id as string);
  const runId = await begin(sessionId);
  const [operationId] = (await until(runId, 'waiting')).waits_for as string[];
  const { approval_id } = (await world.operator.get(`/v1/operations/${operationId!}`)).body;
  expect((await world.operator.get(`/v1/approvals/${approval_id as string}`)).body).toMatchObject({
    of: 'value',
    args: { key: 'NPM_TOKEN', reason: 'to publish', note: 'of the registry' },
  });
  expect(
    (await world.operator.post(`/v1/approvals/${approval_id as string}/value`, { value: SECRET, scope: 'session' }))
      .status,
  ).toBe(200);
  expect(await until(runId, 'ended')).toMatchObject({ stopped: 'end', rounds: 3, error: null });
  const [first, , last] = requestsOf('asks').map((messages) => messages.at(-1)?.content);
  expect([first, last]).toEqual(['do it', expect.stringContaining(`${LENGTH}\n***NPM_TOKEN***`)]);
  expect(JSON.stringify([await transcript(sessionId), requestsOf('asks')])).not.toContain(SECRET);
});

it('a directory that tools-xml reads is listed, and a block behind other text is a failed call', async () => {
  const sessionId = await session('tools-xml', 'looks');
  expect(await until(await begin(sessionId), 'ended')).toMatchObject({ stopped: 'end', rounds: 3, error: null });
  const [, listed, refused] = requestsOf('looks').map((messages) => messages.at(-1)?.content);
  expect(listed).toContain('<read id="t1.1" part="file" status="ok"><output><![CDATA[src/b.txt]]></output></read>');
  expect(refused).toMatch(/status="error"[^]*stands behind other text of its line/);
});

it('an invalid envelope of Yips is reported to the model, which repairs it in an extra round', async () => {
  const sessionId = await session('yips', 'mends');
  expect(await until(await begin(sessionId), 'ended')).toMatchObject({ stopped: 'end', rounds: 3, error: null });
  const asked = requestsOf('mends');
  expect(asked[1]?.at(-1)).toEqual({
    role: 'user',
    content: expect.stringContaining('there are 2 envelopes: expected exactly one'),
  });
  expect(asked[2]?.at(-1)?.content).toMatch(
    /^Action results:\n\{"id":"c","name":"read_file","status":"ok","output":"one\\n"/,
  );
  const [{ events }] = (await transcript(sessionId)) as [{ events: JsonValue[] }];
  expect(events.map(({ kind }) => kind)).toEqual(['replied', 'replied', 'answered', 'replied', 'ended']);
});

it('after two failed rounds Yips advises the model to change its approach, in the next run too', async () => {
  const sessionId = await session('yips', 'fails');
  const GUIDANCE = expect.stringContaining('Every action of the last two rounds failed');
  expect(await until(await begin(sessionId), 'ended')).toMatchObject({ stopped: 'end', rounds: 3 });
  expect(await until(await begin(sessionId, 'and now?'), 'ended')).toMatchObject({ stopped: 'end', rounds: 1 });
  const [, second, third, later] = requestsOf('fails').map((messages) => messages.map(({ content }) => content));
  expect(second).not.toContainEqual(GUIDANCE);
  expect(third?.at(-1)).toEqual(GUIDANCE);
  expect(later?.slice(-3)).toEqual([GUIDANCE, 'There is no such file.', 'and now?']);
});
