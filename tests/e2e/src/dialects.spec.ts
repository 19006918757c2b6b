// SPDX-License-Identifier: Apache-2.0
// One conversation in every dialect, through real sessions: the same intent leads to the same workspace, by the same
// actions. Text dialects use recorded replies. Native ones use the providers' wire formats, and so does Yips, since no
// recording can know its tokens.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { actionDigest, argsHash } from '@writ/digest';
import {
  eventually,
  makeWorld,
  mustApproveShown,
  startStack,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { chatChunk, sse, WireServer, type WireRequest } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

type Call = readonly [name: string, args: object];
/** The intent: read, change, report. */
const LOOK: readonly Call[] = [
  ['read_file', { path: 'a.txt' }],
  ['search_files', { pattern: 'T.DO', path: 'src', regex: true }],
];
const CHANGE: readonly Call[] = [['edit_file', { path: 'a.txt', edits: [{ find: 'one', replace: 'two' }] }]];
const NATIVE: readonly (readonly Call[])[] = [LOOK, CHANGE, []];
const fence = (actions: object[]): string => `\`\`\`yips-agent\n${JSON.stringify({ actions })}\n\`\`\``;
const tool = (id: string, name: string, args: object): object => ({ type: 'tool', id, name, arguments: args });
const block = (id: string, action: string, args: object): string =>
  `[TOOL_CALL:${id}] ${JSON.stringify({ action, args })}`;

/** The intent in each text dialect; `<token>` stands for the one that the last answer named. */
const WRITTEN = {
  blocks: [
    `I look. ${block('r', 'fs.read', LOOK[0]![1])} ${block('s', 'fs.search', LOOK[1]![1])}`,
    block('e', 'fs.edit', CHANGE[0]![1]),
    'It is done.',
  ],
  'tools-xml': [
    'I look.\n<tools>\n<read><file src="a.txt"/><search src="src" pattern="T.DO" regex="true"/></read>\n</tools>',
    '<tools><edit><file src="a.txt"><find>one</find><replace>two</replace></file></edit></tools>',
    'It is done.',
  ],
  yips: [
    `I look.\n${fence([tool('r', 'read_file', { path: 'a.txt' }), tool('s', 'grep', { pattern: 'T.DO', path: 'src' })])}`,
    fence([tool('p', 'preview_edit_file', { path: 'a.txt', oldText: 'one', newText: 'two' })]),
    fence([tool('e', 'apply_file_change', { token: '<token>' })]),
    'It is done.',
  ],
} as const;
const HELD = [
  `${block('d', 'shell.run', { command: 'rm -rf old' })} ${block('r', 'fs.read', { path: 'a.txt' })}`,
  `Deleting \`old\` must be approved. ${block('x', 'fs.read', { path: 'b' })}`,
  'It is done.',
];

const typed = (data: { type: string } & Record<string, unknown>): string => sse(data, data.type);

/** One reply in each provider's own stream. */
const WIRES: Readonly<
  Record<'openai' | 'anthropic' | 'gemini', (calls: readonly Call[], round: number, text?: string) => string[]>
> = {
  openai: (calls, round, text = 'words') => [
    chatChunk({ content: text }),
    ...calls.map(([name, args], index) =>
      chatChunk({
        tool_calls: [
          { index, id: `c${round}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
        ],
      }),
    ),
    chatChunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    sse('[DONE]'),
  ],
  anthropic: (calls, round) => [
    typed({
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    ...calls.flatMap(([name, args], index) => [
      typed({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `c${round}_${index}`, name, input: {} },
      }),
      typed({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) },
      }),
      typed({ type: 'content_block_stop', index }),
    ]),
    typed({
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    typed({ type: 'message_stop' }),
  ],
  gemini: (calls) => [
    ...calls.map(([name, args]) =>
      sse({ candidates: [{ index: 0, content: { role: 'model', parts: [{ functionCall: { name, args } }] } }] }),
    ),
    sse({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'done' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }),
  ],
};

/** The number of replies so far, in any provider's format. */
const replies = ({ body }: WireRequest): number =>
  ((body['messages'] ?? body['contents']) as { role: string }[]).filter(
    ({ role }) => role === 'assistant' || role === 'model',
  ).length;
function answer(asked: WireRequest): string[] {
  const n = replies(asked);
  if (asked.body['model'] === 'yips') {
    const token =
      /"token":"([^"]+)"/.exec(
        JSON.stringify((asked.body['messages'] as { content: string }[]).at(-1)?.content).replaceAll('\\"', '"'),
      )?.[1] ?? '';
    return WIRES.openai([], n, WRITTEN.yips[n]?.replace('<token>', token));
  }
  const provider = asked.url.includes('/messages') ? 'anthropic' : asked.url.includes('Generate') ? 'gemini' : 'openai';
  return WIRES[provider](NATIVE[n] ?? [], n);
}

let stack: Stack;
let wire: WireServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-dialects-'));
  wire = await new WireServer().open();
  wire.script = (asked) => ({ chunks: answer(asked), end: 'whole' });
  writeFileSync(join(folder, 'key'), 'sk-of-this-spec');
  const recorded = (name: string, texts: readonly string[]): object => {
    writeFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({
        v: 1,
        model: name,
        prompt: 'change it',
        turns: texts.map((text) => ({ text, calls: [], stop: 'end' })),
      }),
    );
    return { name, provider: 'transcript', transcript_file: `${name}.json` };
  };
  const over = (name: string, provider: string, path = '') => ({
    name,
    provider,
    model: name,
    base_url: `${wire.url}${path}`,
    key_file: 'key',
  });
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({
      models: [
        recorded('blocks', WRITTEN.blocks),
        recorded('tools-xml', WRITTEN['tools-xml']),
        recorded('held', HELD),
        over('yips', 'openai', '/v1'),
        over('openai', 'openai', '/v1'),
        over('anthropic', 'anthropic'),
        over('gemini', 'gemini'),
      ],
    }),
  );
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: join(folder, 'models.json') } },
  });
});
afterAll(async () => {
  await stack?.stop();
  await wire?.close();
  rmSync(folder, { recursive: true, force: true });
});

const newWorld = (): Promise<World> =>
  makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'one\n', 'src/b.txt': 'TODO\n', 'old/c.txt': 'three\n' },
  });
async function began(world: World, dialect: string, model: string): Promise<{ session_id: string; run_id: string }> {
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model,
    dialect,
  });
  const { run_id } = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input: 'change it' });
  return { session_id: session_id as string, run_id: run_id as string };
}
const until = (world: World, runId: string, state: string): Promise<JsonValue> =>
  eventually(
    `${runId} ${state}`,
    async () => {
      const { body } = await world.admin.get(`/v1/runs/${runId}`);
      return body.state === state ? body : null;
    },
    120_000,
  );
type Event = {
  readonly kind: string;
  readonly turn: {
    readonly text: string;
    readonly calls: readonly { tool_id: string; args: Record<string, unknown>; mode?: string }[];
  };
  readonly answer: JsonValue;
};
const eventsOf = async (world: World, sessionId: string): Promise<Event[]> =>
  ((await world.auditor.get(`/v1/sessions/${sessionId}/transcript`)).body.runs as { events: Event[] }[])[0]!.events;

/** Each record has its own salt, so that nobody can guess arguments from their hash: here all have the same. */
const digestOf = (tool_id: string, args: object): string =>
  actionDigest({
    tool_id,
    tool_definition_digest: null,
    args_hash: argsHash(new Uint8Array(32), args as Parameters<typeof argsHash>[1]),
    capability_token_id: 'cap',
    policy_hash: 'p',
    state_snapshot_id: 's',
    image_digest: null,
  });

interface Ended {
  readonly snapshot: string;
  readonly digests: readonly string[];
  readonly committed: readonly unknown[];
}
async function endOf(
  world: World,
  sessionId: string,
  calls: readonly { tool_id: string; args: object }[],
): Promise<Ended> {
  const operations = (await world.admin.get(`/v1/operations?session_id=${sessionId}&limit=200`)).body
    .items as JsonValue[];
  return {
    snapshot: (await world.admin.get(`/v1/workspaces/${world.workspaceId}`)).body.head_snapshot_id as string,
    digests: calls.map(({ tool_id, args }) => digestOf(tool_id, args)),
    committed: operations.filter(({ state }) => state === 'committed').map(({ tool_id }) => tool_id),
  };
}

async function inSession(dialect: string, model: string): Promise<Ended> {
  const world = await newWorld();
  const { session_id, run_id } = await began(world, dialect, model);
  expect([dialect, await until(world, run_id, 'ended')]).toMatchObject([dialect, { stopped: 'end', error: null }]);
  const events = await eventsOf(world, session_id);
  expect([
    dialect,
    events.flatMap(({ kind, answer: told }) => (kind === 'answered' && told.is_error === true ? [told] : [])),
  ]).toEqual([dialect, []]);
  // A change that is applied by its token is the call that was staged.
  return await endOf(
    world,
    session_id,
    events.flatMap(({ kind, turn }) => (kind === 'replied' ? turn.calls.filter(({ mode }) => mode !== 'apply') : [])),
  );
}

/** There is no session in this dialect: its agents have their own loop. */
async function inTurns(): Promise<Ended> {
  const world = await newWorld();
  const calls: { tool_id: string; args: object }[] = [];
  for (const [n, asked] of NATIVE.entries()) {
    const output = JSON.stringify({
      object: 'response',
      status: 'completed',
      output: asked.map(([name, args], index) => ({
        type: 'function_call',
        id: `fc_${n}_${index}`,
        call_id: `c${n}_${index}`,
        name,
        arguments: JSON.stringify(args),
      })),
    });
    const { state, calls: made } = await world.agent.must('/v1/turns?wait=30000', {
      dialect: 'openai-responses',
      output,
      session_id: 'responses',
      turn_id: String(n),
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
    });
    expect(state).toBe('ended');
    calls.push(...(made as { tool_id: string; args: object }[]));
  }
  return await endOf(world, 'responses', calls);
}

it('one conversation leads to the same workspace by the same actions in every dialect', async () => {
  const ended = new Map<string, Ended>();
  for (const dialect of Object.keys(WRITTEN)) ended.set(dialect, await inSession(dialect, dialect));
  for (const provider of Object.keys(WIRES)) ended.set(provider, await inSession('native', provider));
  ended.set('openai-responses', await inTurns());
  const first = ended.get('openai')!;
  expect([first.digests.length, typeof first.snapshot, first.committed]).toEqual([3, 'string', ['fs.edit']]);
  for (const [dialect, each] of ended) expect([dialect, each]).toEqual([dialect, first]);
});

it('in blocks the model explains a held call in a reply without calls, and continues after a decision', async () => {
  const world = await newWorld();
  const { session_id, run_id } = await began(world, 'blocks', 'held');
  const [operationId] = (await until(world, run_id, 'waiting')).waits_for as string[];
  const { approval_id } = (await world.operator.get(`/v1/operations/${operationId!}`)).body;
  await mustApproveShown(world.operator, approval_id);
  expect(await until(world, run_id, 'ended')).toMatchObject({ stopped: 'end', rounds: 2 });
  const events = await eventsOf(world, session_id);
  expect(events.map(({ kind }) => kind)).toEqual([
    'replied',
    'held',
    'explained',
    'resumed',
    'answered',
    'answered',
    'replied',
    'ended',
  ]);
  expect(events[2]!.turn.text).toBe('Deleting `old` must be approved. ');
  expect(await world.file('old/c.txt')).toBeNull();
  const operations = (await world.admin.get(`/v1/operations?session_id=${session_id}`)).body.items as JsonValue[];
  expect(operations.map(({ tool_id }) => tool_id).sort()).toEqual(['fs.read', 'fs.read', 'shell.run']);
});
