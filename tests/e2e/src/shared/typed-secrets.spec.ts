// SPDX-License-Identifier: Apache-2.0
// A secret that a model types into the program of its terminal, in each dialect: the program gets the value, and the
// model, the transcript and the record have its name alone.
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SECRET = 'marker-9e40-of-a-tenant';
const SHAPES = [SECRET, 'marker-9e40', Buffer.from(SECRET).toString('base64').slice(0, -4)];
/** Reads a line that the terminal echoes, and shows its length and the line itself in two parts. */
const COMMAND = 'read -r K; printf %s "$K" | wc -c; printf %s "${K:0:9}"; sleep 0.3; printf "%s\\n" "${K:9}"';
const TYPED = '${secret:KEY}\n';

let stack: SharedStack;
let world: World;
let token: string;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  expect((await world.admin.request('PUT', '/v1/secrets', { name: 'KEY', value: SECRET })).status).toBe(200);
  const grant = {
    tools: ['shell.session'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: ['KEY'],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  const { body } = await world.admin.post('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant,
  });
  token = body.capability_token_id as string;
});

const block = (args: JsonValue): string => `[TOOL_CALL:c] ${JSON.stringify({ action: 'shell.session', args })}`;
const yips = (action: JsonValue): string =>
  `\`\`\`yips-agent\n${JSON.stringify({ actions: [{ id: 'c', type: 'tool', ...action }] })}\n\`\`\``;
const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const native: Readonly<Record<string, (args: JsonValue) => JsonValue>> = {
  openai: (args) => ({
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'bash_session', arguments: JSON.stringify(args) } },
          ],
        },
      },
    ],
  }),
  'openai-responses': (args) => ({
    object: 'response',
    status: 'completed',
    output: [{ type: 'function_call', id: 'f', call_id: 'c', name: 'bash_session', arguments: JSON.stringify(args) }],
  }),
  anthropic: (input) => ({
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', id: 'c', name: 'bash_session', input }],
  }),
  gemini: (args) => ({
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: { role: 'model', parts: [{ functionCall: { name: 'bash_session', args } }] },
      },
    ],
  }),
};

/** The turn that runs the command, and the one that types, as a model writes them. */
const WRITTEN: Readonly<Record<string, readonly [string, string]>> = {
  blocks: [block({ command: COMMAND, yield_ms: 500 }), block({ input: TYPED })],
  'tools-xml': [`<tools><command>${xml(COMMAND)}</command></tools>`, '<tools><input>$KARYI{KEY}\\n</input></tools>'],
  yips: [
    yips({ name: 'virtual_terminal', type: 'skill', arguments: { command: COMMAND, timeoutMs: 500 } }),
    yips({ name: 'shell.session', arguments: { input: TYPED } }),
  ],
  ...Object.fromEntries(
    Object.entries(native).map(([dialect, write]) => [
      dialect,
      [JSON.stringify(write({ command: COMMAND, yield_ms: 500 })), JSON.stringify(write({ input: TYPED }))] as const,
    ]),
  ),
};

it.each(Object.keys(WRITTEN))('a secret typed in %s reaches the program, and nothing shows it', async (dialect) => {
  const session_id = `ses-${dialect}`;
  const post = async (turn_id: string, output: string): Promise<JsonValue> => {
    const body = { turn_id, output, dialect, session_id, capability_token_id: token, workspace_id: world.workspaceId };
    const answer = await world.agent.post('/v1/turns?wait=50000', body);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return answer.body;
  };
  const [asking, typing] = WRITTEN[dialect]!;
  const turns = [await post('asks', asking), await post('types', typing)];
  const shown = JSON.stringify(turns[1].messages);
  // The echo of the terminal, the length of the value, and the two parts that the program printed.
  expect(shown).toMatch(new RegExp(`\\*\\*\\*KEY\\*\\*\\*[^*]*${SECRET.length}[^*]*\\*\\*\\*KEY\\*\\*\\*`));
  for (const turn of turns) {
    const [{ operation_id }] = turn.calls as [{ operation_id: string }];
    const operation = (await world.admin.get(`/v1/operations/${operation_id}`)).body as JsonValue;
    const { record } = await verifiedReceipt(stack, world, operation_id, 'outcome');
    const all = JSON.stringify([turn, operation, record]);
    for (const shape of SHAPES) expect(all).not.toContain(shape);
  }
  const over = { session_id, capability_token_id: token };
  await world.call('shell.session', { close: true }, over);
});
