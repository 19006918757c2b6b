// SPDX-License-Identifier: Apache-2.0
//
// Calls of tools of MCP servers that are programs, with the session in a thread and a fake container.
import { once } from 'node:events';
import { Fault, formatId, RESOURCE_SECRET_PREFIX, type Redemption, type ReportRequest } from '@writ/contract';
import type { EgressFixture } from '../../../specs/egress-fixture.ts';
import type { McpProgram, ProgramAnswer } from '../../../specs/mcp-program.ts';
import { REMOTE_TOOL } from '../../../specs/mcp-upstream.ts';
import {
  openProgramScene,
  SECRET,
  serverOf,
  SETTINGS,
  TOOL,
  withHosts,
  type Given,
  type ProgramScene,
} from '../../../specs/program-scene.ts';
import type { McpPrograms } from './mcp-programs.ts';

let scene: ProgramScene;
let on: EgressFixture;
let program: McpProgram;
let programs: McpPrograms;
openProgramScene((opened) => {
  scene = opened;
  ({ on, program, programs } = opened);
});
const call = (given?: Given): Promise<ReportRequest> => scene.call(given);
const announced = (): boolean => scene.announced();

test('a call is announced right before it is written, and the program has its variables', async () => {
  program.answers = {
    'tools/list': (message, process) => {
      expect(announced()).toBe(false);
      process.result(message, { tools: [REMOTE_TOOL], ttlMs: 0, cacheScope: 'private' });
    },
    'tools/call': (message, process) => {
      expect(announced()).toBe(true);
      expect(message.params).toMatchObject({ name: 'create_issue', arguments: { title: 'A leak' } });
      const text = `by ${String(process.world.env['TOKEN'])}`;
      process.result(message, { content: [{ type: 'text', text }], structuredContent: { number: 7 } });
    },
  };
  expect(await call()).toMatchObject({
    ended: 'exited',
    error: null,
    result: { content: [{ type: 'text' }], structured: { number: 7 }, is_error: false },
    requests: [],
  });
  const [process] = program.processes;
  expect(process?.world.env).toMatchObject({ ROOT: '/data', TOKEN: SECRET });
  expect(process?.world.cwd).toBe('');
  expect([...(process?.world.files ?? [])]).toEqual([]);
});

test('a call of a tool that only reads is not announced', async () => {
  expect(await call({ tool: { ...TOOL, category: 'read' } })).toMatchObject({ ended: 'exited' });
  expect([announced(), program.calls.length]).toEqual([false, 1]);
});

describe.each([
  ['2026-07-28', false],
  ['2025-11-25', true],
])('a program of the revision %s', (_revision, isLegacy) => {
  test('is kept for the next call, sees one beginning, and lists its tools for each call', async () => {
    program.isLegacy = isLegacy;
    for (let calls = 0; calls < 3; calls += 1) expect(await call()).toMatchObject({ ended: 'exited' });
    expect(program.processes).toHaveLength(1);
    const { methods, messages } = program.processes[0]!;
    const counts = (method: string): number => methods.filter((each) => each === method).length;
    expect([counts('tools/list'), counts('tools/call')]).toEqual([3, 3]);
    expect(counts('server/discover')).toBe(1);
    expect(counts('initialize')).toBe(isLegacy ? 1 : 0);
    const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each<[string, Given]>([
  ['another person', { redemption: { acts_for: 'person-2' } }],
  ['another session', { redemption: { session: 'session-2' } }],
  ['another workspace', { redemption: { workspace_id: formatId('workspace', new Uint8Array(16).fill(9)) } }],
  ['other settings', { settings: { command: ['mcp-files', '--stdio'], memory_mb: 128 } }],
  ['another value of a secret', { redemption: { secrets: { [`${RESOURCE_SECRET_PREFIX}FILES`]: `${SECRET}-2` } } }],
])('a call with %s has a process of its own', async (_what, given) => {
  await call();
  const tool = { ...TOOL, server_digest: serverOf(given.settings).digest };
  expect(await call({ ...given, tool })).toMatchObject({ ended: 'exited' });
  await call();
  expect(program.processes.map(({ calls }) => calls.length)).toEqual([2, 1]);
});

test('a call of nobody in particular leaves no process behind', async () => {
  for (const member of ['acts_for', 'session'] as const)
    expect(await call({ redemption: { [member]: undefined } as Partial<Redemption> })).toMatchObject({
      ended: 'exited',
    });
  expect(program.processes).toHaveLength(2);
});

test.each<[string, typeof program.tools, string]>([
  [
    'that is described otherwise',
    [{ ...REMOTE_TOOL, description: 'Creates an issue, and sends it on.' }],
    'mcp.definition_changed',
  ],
  ['that the program has no more', [], 'mcp.definition_gone'],
])('a tool %s is not called, also on a process that was asked before', async (_what, tools, code) => {
  await call();
  program.tools = tools;
  expect(await call()).toMatchObject({ ended: 'failed', error: { code }, result: null });
  expect([program.processes.length, program.calls.length]).toEqual([1, 1]);
});

const die: ProgramAnswer = (_message, process) => {
  process.world.err(`the disk is full, ${SECRET}\n`);
  process.exit(9);
};

test('a program that dies while it runs a call leaves doubt, and says why', async () => {
  program.answers = { 'tools/call': die };
  const { error } = await call();
  expect(error?.code).toBe('egress.failed');
  expect(error?.message).toContain('ended while it ran the call with exit status 9: “the disk is full, ');
  expect(announced()).toBe(true);
  program.answers = {};
  expect(await call()).toMatchObject({ ended: 'exited' });
  expect(program.processes).toHaveLength(2);
});

test('a program that dies before the call was written did nothing', async () => {
  program.answers = { 'tools/list': die };
  expect(await call()).toMatchObject({ ended: 'failed', error: { code: 'mcp.unreachable' } });
  expect(announced()).toBe(false);
});

test('a program that died between two calls is started anew', async () => {
  await call();
  program.processes[0]!.exit(0);
  await vi.waitFor(async () => {
    expect(await call()).toMatchObject({ ended: 'exited' });
    expect(program.processes).toHaveLength(2);
  });
});

test('a program that keeps dying at its start is started after a pause alone, and says why', async () => {
  program.begin = (process) => {
    process.world.err('no such database\n');
    process.exit(1);
  };
  const first = await call();
  expect(first).toMatchObject({ ended: 'failed', error: { code: 'mcp.unreachable' } });
  expect(first.error?.message).toContain('“no such database”');
  const started = program.processes.length;
  const second = await call();
  expect(second.error?.message).toContain('is started again in a moment');
  expect(program.processes).toHaveLength(started);
  scene.advance(120_000);
  program.begin = () => undefined;
  expect(await call()).toMatchObject({ ended: 'exited' });
});

test('a program that ends when it is asked for a newer revision is asked in the older one', async () => {
  program.isLegacy = true;
  program.answers = { 'server/discover': (_message, process) => process.exit(1) };
  expect(await call()).toMatchObject({ ended: 'exited' });
  expect(program.processes.map(({ methods }) => methods[0])).toEqual(['server/discover', 'initialize']);
});

test('lines that are no messages, answers to nobody and second answers are passed over', async () => {
  program.begin = (process) => process.say('Secure MCP server running on stdio');
  program.answers = {
    'tools/call': (message, process) => {
      process.say({ jsonrpc: '2.0', id: 'nobody', result: { content: [{ type: 'text', text: 'forged' }] } });
      // Numbers as a client gives them, and the id of the listing, which was answered.
      const forged = { resultType: 'complete', content: [], structuredContent: { number: 9 } };
      const listed = process.messages.find(({ method }) => method === 'tools/list')?.id;
      for (const id of [0, 1, 2, 3, 4, 5, listed]) process.say({ jsonrpc: '2.0', id, result: forged });
      const result = { content: [{ type: 'text', text: 'one' }], structuredContent: { number: 1 } };
      process.result(message, result);
      process.result(message, { ...result, structuredContent: { number: 2 } });
    },
  };
  for (let calls = 0; calls < 2; calls += 1)
    expect(await call()).toMatchObject({ ended: 'exited', result: { structured: { number: 1 } } });
  expect(program.processes).toHaveLength(1);
});

test.each<[string, ProgramAnswer, string]>([
  ['writes what is no MCP without end', (_message, process) => process.say('nonsense\n'.repeat(200)), 'mcp.protocol'],
  ['writes a line without end', (_message, process) => flood(process.stdio, 'x'), 'mcp.protocol'],
  [
    'sends messages without end',
    (_message, process) => flood(process.stdio, '{"jsonrpc":"2.0","method":"notifications/x"}\n'),
    'mcp.protocol',
  ],
  [
    'asks for a reply of a model',
    (message, process) => {
      process.say({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      process.error(message, -32_603, 'no sampling');
    },
    'mcp.unsupported',
  ],
  ['refuses the arguments', (message, process) => process.error(message, -32_602, 'the title is empty'), 'mcp.failed'],
])('a program that %s', async (_what, answer, code) => {
  // A server of the newer revision has nothing to ask of its client.
  program.isLegacy = true;
  program.answers = { 'tools/call': answer };
  expect(await call()).toMatchObject({ ended: 'failed', error: { code }, result: null });
  expect([announced(), program.calls.length]).toEqual([true, 1]);
});

async function flood(stdio: NodeJS.WritableStream, text: string): Promise<void> {
  const piece = text.repeat(Math.ceil(65_536 / text.length));
  const gone = new AbortController();
  stdio.once('close', () => gone.abort());
  for (let pieces = 0; pieces < 320 && !gone.signal.aborted; pieces += 1)
    if (!stdio.write(piece)) await once(stdio, 'drain', { signal: gone.signal }).catch(() => undefined);
}

test('a program that says nothing is left in the time of the call, is told so, and ends', async () => {
  program.answers = { 'tools/call': () => undefined };
  expect(await call({ wall_ms: 4_000 })).toMatchObject({ ended: 'timeout', error: { code: 'command.timeout' } });
  const [process] = program.processes;
  expect(process?.methods.at(-1)).toBe('notifications/cancelled');
  expect(process?.messages.at(-1)?.params['requestId']).toBe(process?.calls[0]?.id);
  expect(process?.stdio.destroyed).toBe(true);
});

test('a program that never reads is left in the time of the call', async () => {
  program.begin = (process) => void setTimeout(() => process.stdio.pause());
  expect(await call({ wall_ms: 3_000 })).toMatchObject({ ended: 'timeout', error: { code: 'command.timeout' } });
  expect(announced()).toBe(false);
});

test('a call that the kernel stops when it is announced is not written', async () => {
  on.kernel.onEffect = () => ({ v: 1, lease_until: 0, stop: true });
  await call().catch(() => undefined);
  expect(program.calls).toHaveLength(0);
});

test('a call whose announcement a busy kernel rejects is announced again, and then written once', async () => {
  const answers: unknown[] = [new Fault('overloaded'), { v: 1, lease_until: 0, stop: false }];
  on.kernel.onEffect = () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  expect(await call()).toMatchObject({ ended: 'exited' });
  expect([answers.length, program.calls.length]).toEqual([0, 1]);
});

describe('the way out of a program', () => {
  const ask = async (process: { readonly world: { connect(): NodeJS.ReadWriteStream | null } }): Promise<string> => {
    const connection = process.world.connect();
    if (connection === null) return 'no proxy';
    connection.on('error', () => undefined);
    connection.write(
      'GET http://api.outside.example/ HTTP/1.1\r\nhost: api.outside.example\r\nconnection: close\r\n\r\n',
    );
    let text = '';
    await Promise.race([
      (async () => {
        for await (const bytes of connection) text += String(bytes);
      })().catch(() => undefined),
      once(connection, 'close').catch(() => undefined),
    ]);
    return text === '' ? 'closed' : (/HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? text);
  };
  const asking: ProgramAnswer = async (message, process) =>
    process.result(message, {
      content: [{ type: 'text', text: await ask(process) }],
      structuredContent: { number: 1 },
    });
  test('is that of the call that has it, whose record lists its requests', async () => {
    program.answers = { 'tools/call': asking };
    const report = await call(withHosts(['api.outside.example']));
    expect(report.result).toMatchObject({ content: [{ text: '200' }] });
    expect(report.requests).toMatchObject([{ method: 'GET', target: 'http://api.outside.example/' }]);
    expect(await ask(program.processes[0]!)).toBe('closed');
    expect(on.outside.received).toHaveLength(1);
  });

  test.each<[string, Given, string]>([
    ['that its settings do not name', withHosts(['other.outside.example']), '403'],
    [
      'that the token does not grant',
      { ...withHosts(['api.outside.example']), redemption: { net: [[{ domain: 'other.example', methods: ['GET'] }]] } },
      '403',
    ],
    ['when its settings name none', {}, 'closed'],
  ])('leads to no host %s', async (_what, given, answer) => {
    program.answers = { 'tools/call': asking };
    expect((await call(given)).result).toMatchObject({ content: [{ text: answer }] });
    expect(on.outside.received).toHaveLength(0);
  });
});

test('a listing has a process of its own, without any way out', async () => {
  program.isLegacy = true;
  const closed: unknown[] = [];
  program.answers = {
    'tools/list': (message, process) => {
      const connection = process.world.connect();
      connection?.on('error', () => undefined).once('close', () => closed.push(process));
      process.result(message, { tools: [REMOTE_TOOL], ttlMs: 0, cacheScope: 'private' });
    },
  };
  const { listing, about } = await programs.list({
    tenantId: 'tenant',
    resourceId: 'res',
    settings: SETTINGS,
    image: 'image',
    resourceSecrets: { FILES: SECRET },
    signal: AbortSignal.timeout(30_000),
  });
  expect(JSON.parse(Buffer.from(listing).toString())).toMatchObject({ tools: [{ name: 'create_issue' }] });
  expect(about.name).toBe('files');
  expect(closed).toEqual(program.processes);
  expect(program.processes[0]?.stdio.destroyed).toBe(true);
});

test('an executor keeps so many processes, and the one that was idle longest makes room', async () => {
  for (let person = 0; person < 4; person += 1) await call({ redemption: { acts_for: `person-${person}` } });
  // Half of them for one tenant.
  expect(program.processes.map(({ stdio }) => stdio.destroyed)).toEqual([true, true, false, false]);
  programs.drain();
  await vi.waitFor(() => expect(program.processes.every(({ stdio }) => stdio.destroyed)).toBe(true));
});
