// SPDX-License-Identifier: Apache-2.0
// One conversation in command blocks: a sandbox that a person has to register first, a script of mk8.shell with
// captures and the documented edits, a raw command that a person approves, another one that is denied, and the end.
import { generateKeyPairSync } from 'node:crypto';
import { vi } from 'vitest';
import { signSandbox } from '@writ/mk8-shell';
import { parseSigner } from '@writ/signing';
import { approveShown, eventually, type JsonValue } from '@writ/stack';
import { Talk, type Step } from './talk.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const FILES = {
  'templates/config.template.json': '{"host": "{{DB_HOST}}", "port": {{PORT}}}\n',
  'app.cs': 'var text = "old text"; // old text\n',
  'notes.txt': 'b\na\nb\n',
};
const block = (id: string, payload: object): string => `[TOOL_CALL:${id}] ${JSON.stringify(payload)}`;
const op = (verb: string, ...args: string[]) => ({ verb, args });
const inSandbox = (id: string, script: object): string => block(id, { sandboxId: 'release', script });
const raw = (id: string, command: string): string => block(id, { resourceId: 'ops', shellType: 'Bash', command });

interface Line {
  readonly id: string;
  readonly status: string;
  readonly result: JsonValue;
  readonly error: JsonValue;
}
/** The result lines of a message. */
const linesOf = (content: string): Line[] =>
  content.split('\n').map((line) => {
    const [, id = '', status = '', kind, json = 'null'] =
      /^\[TOOL_RESULT:(\S+)\] status=(\w+)(?: (result|error)=(.*))?$/.exec(line) ?? [];
    const value = JSON.parse(kind === 'error' ? json.replace(/ result=.*$/, '') : json) as JsonValue;
    return { id, status, result: kind === 'result' ? value : null, error: kind === 'error' ? value : null };
  });
const statuses = (content: string): string[] => linesOf(content).map(({ id, status }) => `${id} ${status}`);

/** The documented examples of a script, as one. */
const SCRIPT = {
  operations: [
    { ...op('ProcRun', 'git', 'init'), label: 'BEGIN', maxRetries: 1, stepTimeout: '00:02:00' },
    { ...op('ProcRun', 'git', 'status'), captureAs: 'BUILD' },
    op('FileWrite', '$WORKSPACE/log.txt', '$BUILD'),
    {
      ...op('FileTemplate', '$WORKSPACE/config.json'),
      template: {
        source: '$WORKSPACE/templates/config.template.json',
        values: { DB_HOST: 'db.internal', PORT: '5432' },
      },
    },
    { ...op('FilePatch', '$WORKSPACE/app.cs'), patches: [{ find: 'old text', replace: 'new text' }] },
    { ...op('FileRead', '$WORKSPACE/notes.txt'), captureAs: 'NOTES' },
    op('TextSort', '$NOTES'),
    op('EnvGet', 'STAGE'),
    { verb: 'ForEach', forEach: { items: ['one', 'two'], body: op('FileWrite', '$WORKSPACE/tmp/$ITEM', '$INDEX') } },
    { verb: 'If', if: { predicate: { kind: 'FileExists', args: ['config.json'] }, then: op('Echo', 'made') } },
  ],
  options: { failureMode: 'StopAndCleanup' },
  cleanup: [op('DirDelete', '$WORKSPACE/tmp')],
};

let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open('talk-blocks', FILES);
});
afterAll(async () => {
  await talk?.close();
});

/** Registers and signs the sandbox, as the agent asked the person to. */
async function register(): Promise<void> {
  const { admin, workspaceId } = talk.world;
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const registrar = parseSigner(pem);
  await admin.must('/v1/registrar-keys', { public_key: registrar.publicJwk });
  await admin.request('PUT', '/v1/sandboxes', { name: 'release', workspace_id: workspaceId });
  const { tenant_id, definition_digest } = (await admin.get('/v1/sandboxes/release')).body;
  const statement = {
    v: 1 as const,
    tenant_id: tenant_id as string,
    sandbox: 'release',
    definition_digest: definition_digest as string,
    environment: 'STAGE=production\n',
    signed_at: Date.now(),
  };
  const envelope = signSandbox(statement, registrar);
  const answer = await admin.request('PUT', '/v1/sandboxes/release/signature', { envelope });
  expect(answer.body).toMatchObject({ problem: null });
}

/** The documented forms of actions on what nobody registered. */
const NOTHING: readonly Step[] = [
  () =>
    [
      block('a', {}),
      block('b', { action: 'create_sub_agent' }),
      block('c', { action: 'edit_any_task' }),
      block('d', { action: 'query_search_engine', targetId: 'none' }),
      block('e', { action: 'access_website', targetId: 'none' }),
      block('f', { action: 'access_container', targetId: 'none' }),
      block('g', { action: 'access_skill', targetId: 'none' }),
    ].join('\n'),
  ({ last }) => {
    const told = linesOf(last).map(({ id, status, error }) => [id, status, `${error.code}: ${error.message}`]);
    expect(told).toEqual([
      ['a', 'Failed', expect.stringContaining('names no action')],
      ['b', 'Failed', expect.stringContaining('needs `task`')],
      ['c', 'Failed', expect.stringContaining('needs `taskId`')],
      ['d', 'Failed', expect.stringContaining('needs `query`')],
      ['e', 'Denied', expect.stringMatching(/^resource.unknown: `targetId`: there is no website/)],
      ['f', 'Denied', expect.stringMatching(/^resource.unknown: `targetId`: there is no container/)],
      ['g', 'Failed', expect.stringMatching(/^skill.unknown:/)],
    ]);
    return 'I reach none of them: please register what I need.';
  },
];

it('every documented action on what is not there gets an answer that says what it lacks', async () => {
  const tools = ['agent.spawn', 'task.edit', 'web.*', 'container.access', 'skill.read', 'fs.*'];
  const session = await talk.session({ capability_token_id: await talk.token({ tools }), dialect: 'blocks' });
  expect(await talk.run(session, 'What may you use?', NOTHING)).toMatchObject({ stopped: 'end', rounds: 2 });
  expect(await talk.verified(session)).toEqual([
    ['web.fetch', 'refused'],
    ['container.access', 'refused'],
    ['skill.read', 'no_op'],
  ]);
});

const UNREGISTERED: readonly Step[] = [
  ({ system }) => {
    for (const part of ['[TOOL_CALL:<id>]', 'mk8.shell', 'resourceId', 'FilePatch']) expect(system).toContain(part);
    return `I prepare it. ${inSandbox('r1', SCRIPT)}`;
  },
  ({ last }) => {
    const [line] = linesOf(last);
    expect(line).toMatchObject({ id: 'r1', error: { code: 'sandbox.unknown' } });
    return 'The sandbox `release` does not exist: please register and sign it.';
  },
];

const RELEASE: readonly Step[] = [
  () =>
    [
      'I prepare it now.',
      inSandbox('m1', SCRIPT),
      block('f1', { action: 'fs.read', args: { path: 'config.json' } }),
      `${raw('d1', 'wc -l < notes.txt > count.txt')} and after it`,
      block('f2', { action: 'fs.read', args: { path: 'count.txt' } }),
    ].join('\n'),
  ({ last }) => {
    expect(statuses(last)).toEqual(['m1 Completed', 'f1 Completed', 'd1 AwaitingApproval', 'f2 Queued']);
    const [script, config] = linesOf(last);
    const steps = script?.result.steps as JsonValue[];
    expect(steps.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 'ok'));
    expect(steps.slice(6).map(({ output }) => output)).toEqual([
      'a\nb\nb',
      'production',
      expect.stringContaining('tmp/one'),
      expect.stringContaining('tmp/two'),
      'made',
    ]);
    expect(config?.result.content).toBe('{"host": "db.internal", "port": 5432}\n');
    return 'The raw command `d1` needs your approval, because it runs outside of mk8.shell.';
  },
  ({ last }) => {
    expect(statuses(last)).toEqual(['d1 Completed', 'f2 Completed']);
    expect(linesOf(last)[1]?.result.content).toBe('3\n');
    return raw('d2', 'rm notes.txt');
  },
  ({ last }) => {
    expect(statuses(last)).toEqual(['d2 AwaitingApproval']);
    return '`d2` deletes the notes: please decide.';
  },
  ({ last }) => {
    expect(linesOf(last)).toMatchObject([{ id: 'd2', status: 'Denied' }]);
    return 'The release is prepared. The notes stay: they could be moved to an archive instead.';
  },
];

it('a conversation in command blocks asks, waits, continues and ends without blocks, and its receipts verify', async () => {
  const { world } = talk;
  const limits = { wall_ms: 30_000, memory_bytes: 268_435_456 };
  expect(await world.admin.must('/v1/execution-profiles', { name: 'ops', shells: ['Bash'], limits })).toMatchObject({
    valid: true,
  });
  const capability_token_id = await talk.token({ tools: ['mk8.*', 'shell.dangerous', 'fs.*'], profiles: ['ops'] });
  const session = await talk.session({ capability_token_id, dialect: 'blocks' });
  expect(await talk.run(session, 'Prepare the release.', UNREGISTERED)).toMatchObject({ stopped: 'end' });
  expect(await world.file('log.txt')).toBeNull();
  await register();
  const held: string[] = [];
  const decide = async ({ operation_id, approval_id }: JsonValue): Promise<void> => {
    const shown = await eventually('its preview', async () => {
      const { body } = await world.operator.get(`/v1/approvals/${approval_id as string}`);
      return ['ready', 'failed'].includes(body.preview?.state as string) ? (body as JsonValue) : null;
    });
    held.push(operation_id as string);
    if (String(shown.args.command).startsWith('rm'))
      await world.admin.must(`/v1/approvals/${approval_id as string}/deny`, { comment: 'keep the notes' });
    else expect((await approveShown(world.admin, approval_id)).status).toBe(200);
  };
  const run = await talk.run(session, 'It is registered.', RELEASE, decide);
  expect(run).toMatchObject({ stopped: 'end', error: null });
  expect(held).toHaveLength(2);
  expect([await world.file('app.cs'), await world.file('tmp/two')]).toEqual([
    'var text = "new text"; // new text\n',
    '1',
  ]);
  expect([await world.file('log.txt'), await world.file('notes.txt')]).toEqual([
    expect.stringContaining('feature/init'),
    'b\na\nb\n',
  ]);
  const { runs } = (await world.auditor.get(`/v1/sessions/${session}/transcript`)).body;
  const texts = (runs as JsonValue[]).flatMap(({ events }) =>
    (events as JsonValue[]).flatMap(({ turn }) => (turn === undefined ? [] : [turn.text as string])),
  );
  expect(texts.join('\n')).not.toContain('TOOL_CALL');
  expect(await talk.verified(session)).toEqual([
    ['mk8.run', 'refused'],
    ['mk8.run', 'committed'],
    ['fs.read', 'no_op'],
    ['shell.dangerous', 'committed'],
    ['fs.read', 'no_op'],
    ['shell.dangerous', 'refused'],
  ]);
});
