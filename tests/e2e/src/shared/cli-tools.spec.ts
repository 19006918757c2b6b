// SPDX-License-Identifier: Apache-2.0
// Tools that a tenant registers and the rules of paths, through the public API and in real containers: scenarios S6.1
// to S6.14.
import { vi } from 'vitest';
import {
  makeWorld,
  mustApproveShown,
  PROCESS_MARKER,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const text = (more: JsonValue = {}) => ({ type: 'string', ...more });
const TOOLS: JsonValue[] = [
  {
    name: 'say',
    description: 'Says a word.',
    category: 'read',
    cmd: 'printf',
    args: ['<%s>', '{{word}}'],
    parameters: { word: text() },
  },
  {
    name: 'get',
    description: 'Looks at resources.',
    category: 'read',
    cmd: 'printf',
    args: ['<%s>', 'get', '{{resource}}'],
    optional_args: { namespace: ['-n', '{{namespace}}'] },
    parameters: {
      resource: text({ enum: ['pods', 'services'] }),
      namespace: text({ pattern: '^[a-z0-9-]+$', optional: true }),
    },
  },
  {
    name: 'count',
    description: 'Counts.',
    category: 'read',
    cmd: 'seq',
    args: ['{{to}}'],
    parameters: { to: { type: 'integer', minimum: 1 } },
    output_bytes: 1024,
  },
  {
    name: 'wait_for',
    description: 'Waits.',
    category: 'read',
    cmd: 'sleep',
    args: ['{{seconds}}'],
    parameters: { seconds: { type: 'integer' } },
    timeout_ms: 500,
  },
  {
    name: 'wipe',
    description: 'Deletes.',
    category: 'write',
    cmd: 'rm',
    args: ['-rf', '{{path}}'],
    parameters: { path: text() },
  },
  {
    name: 'show_env',
    description: 'Shows its variables.',
    category: 'read',
    cmd: 'printenv',
    env: { DEPLOY_TARGET: '${TARGET}', GREETING: '$${HOME} $HOME' },
  },
  {
    name: 'agent_env',
    description: 'Shows the variables of the container.',
    category: 'read',
    cmd: 'cat',
    args: ['/proc/1/environ'],
  },
  {
    name: 'copy',
    description: 'Copies a file.',
    category: 'write',
    cmd: 'cp',
    args: ['{{from}}', '{{to}}'],
    parameters: { from: text(), to: text() },
  },
  { name: 'touches', description: 'Reads, it says.', category: 'read', cmd: 'touch', args: ['made'] },
  { name: 'release', description: 'Releases.', category: 'admin', cmd: 'true' },
];

let stack: SharedStack;
let world: World;
let token: string;

const put = async (of: World, tools: JsonValue[], variables: JsonValue = { TARGET: 'blue' }) =>
  (await of.admin.request('PUT', '/v1/tools', { tools, variables })).body;
const tokenFor = async (of: World, fs: JsonValue = [{ path: '', read: true, write: true }]): Promise<string> =>
  (
    await of.admin.must('/v1/capability-tokens', {
      agent_id: of.agentId,
      workspace_id: of.workspaceId,
      grant: { tools: ['*'], fs, net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + 3_600_000 },
    })
  ).capability_token_id as string;
const call = async (tool: string, args: JsonValue = {}, over: JsonValue = {}): Promise<JsonValue> =>
  (await world.call(tool, args, { capability_token_id: token, ...over })).body;

/** The result of a held call after an approval. */
async function approved({ state, operation_id, approval_id }: JsonValue): Promise<JsonValue> {
  expect(state).toBe('held');
  await mustApproveShown(world.operator, approval_id);
  return (await world.until(operation_id as string, ['no_op', 'committed', 'rolled_back'])).result.result;
}

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'a.txt': 'one\n', 'src/b.txt': 'two\n', 'src/keys/id': 'private\n', 'docs/c.txt': 'three\n' },
  });
  token = await tokenFor(world);
  expect(await put(world, TOOLS)).toMatchObject({ valid: true });
});

describe('tools', () => {
  it('S6.1: a tool with valid parameters executes and returns output', async () => {
    expect(await call('say', { word: 'hello' })).toMatchObject({
      status: 'ok',
      tx_outcome: 'no_op',
      result: { exit_code: 0, output: '<hello>' },
    });
  });

  it('S6.2: invalid parameters return their errors, and nothing runs', async () => {
    for (const args of [{}, { word: 7 }, { word: 'x', more: 'y' }])
      expect(await call('say', args)).toMatchObject({ status: 'error', error: { code: 'args.invalid' }, result: null });
  });

  it('S6.3: output beyond the limit is cut, with a notice', async () => {
    const { result } = await call('count', { to: 100_000 });
    expect(result.output).toMatch(/^1\n2\n3\n[^]*\[output cut: \d+ more bytes\]$/);
    expect(result.output.length).toBeLessThan(1_200);
  });

  it('S6.4: a tool that exceeds its time limit is killed and returns a timeout error', async () => {
    expect(await call('wait_for', { seconds: 30 })).toMatchObject({
      status: 'error',
      error: { code: 'command.timeout' },
    });
  });

  it('S6.5: a dangerous command is blocked and returns a rejection, whichever tool runs it', async () => {
    expect(await call('wipe', { path: '/' })).toMatchObject({
      status: 'error',
      error: { code: 'policy.denied' },
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'delete.root' })]) as unknown,
    });
    expect(await call('shell.run', { command: 'rm -rf /' })).toMatchObject({
      status: 'error',
      error: { code: 'policy.denied' },
    });
  });

  it('S6.6: a program finds the allowlisted variables and its own, and nothing of a Writ process', async () => {
    const { result } = await call('show_env');
    const names = (result.output as string)
      .trim()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf('=')));
    const proxy = /^(https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|NODE_USE_ENV_PROXY)$/;
    expect(names.filter((name) => !proxy.test(name)).sort()).toEqual([
      'DEPLOY_TARGET',
      'GREETING',
      'HOME',
      'LANG',
      'PATH',
      'SHELL',
      'TERM',
      'TMPDIR',
      'USER',
    ]);
    // Variables of a process often contain secrets, so an approval is needed.
    const ofAgent = await approved(await call('agent_env'));
    const ofShell = await approved(await call('shell.run', { command: 'env; tr "\\0" "\\n" < /proc/1/environ' }));
    for (const { output } of [result, ofAgent, ofShell])
      expect([output.includes('PATH='), output.includes(PROCESS_MARKER)]).toEqual([true, false]);
  });

  it('S6.7: an applied tool is registered, offered, visible to policies, and callable by the agent', async () => {
    const offered = ((await world.agent.get('/v1/tools')).body.items as JsonValue[]).find(
      ({ tool_id }) => tool_id === 'get',
    );
    expect(offered).toMatchObject({
      category: 'read',
      class: 'sandboxed',
      version: 1,
      parameters: { required: ['resource'], properties: { namespace: { pattern: '^(?:^[a-z0-9-]+$)$' } } },
    });
    expect((await world.admin.get('/v1/policies/schema')).body.cedar).toContain('action "get" in [Action::"read"]');
    const done = await call('get', { resource: 'pods', namespace: 'a-b' });
    expect(done.result.output).toBe('<get><pods><-n><a-b>');
    const { record } = await verifiedReceipt(stack, world, done.operation_id as string, 'decision');
    expect(record).toMatchObject({ tool_id: 'get', tool_definition_digest: offered.definition_digest });
  });

  it('S6.8: shell metacharacters in arguments are literal text', async () => {
    for (const word of [
      '$(id)',
      '; rm -rf ~',
      '`id`',
      '| cat',
      '*',
      '$HOME',
      '&& echo',
      '> made',
      '\n',
      '\\',
      '\'"',
      '{{word}}',
      '${TARGET}',
    ]) {
      expect((await call('say', { word })).result.output).toBe(`<${word}>`);
    }
    expect(await world.file('made')).toBeNull();
  });

  it('S6.9: a value that tries an injection is rejected by its parameter', async () => {
    for (const args of [
      { resource: 'pods; rm -rf ~' },
      { resource: 'pods', namespace: 'a; id' },
      { resource: 'pods', namespace: 'a\n' },
      { resource: 'pods', namespace: '--all' },
      { resource: '{{namespace}}' },
    ]) {
      expect(await call('get', args)).toMatchObject({ error: { code: 'args.invalid' } });
    }
    expect(await call('say', { word: '-v' })).toMatchObject({
      error: { code: 'args.invalid', message: expect.stringContaining('begins with `-`') },
    });
  });

  it('S6.13: declared variables reach the program, never the variables of a Writ process', async () => {
    const { result } = await call('show_env');
    expect(result.output).toContain('DEPLOY_TARGET=blue\n');
    expect(result.output).toContain('GREETING=${HOME} $HOME\n');
    expect(await put(world, [{ ...TOOLS[5], name: 'other', env: { X: '${_PATH}' } }])).toMatchObject({
      valid: false,
      problems: [{ pointer: expect.stringMatching('^/tools/0/env') }],
    });
  });

  it('S6.13: a declared secret reaches the program under a token that grants it, and is never shown', async () => {
    const secret = 'hunter2-of-the-tenant';
    expect(
      await put(world, [
        {
          name: 'whose',
          description: 'Shows how long its key is.',
          category: 'read',
          cmd: 'printenv',
          args: ['KEY'],
          env: { KEY: 'Bearer ${DEPLOY_KEY}' },
        },
      ]),
    ).toMatchObject({ valid: true });
    expect(await call('whose')).toMatchObject({ error: { code: 'token.scope' } });
    const granted = (
      await world.admin.must('/v1/capability-tokens', {
        agent_id: world.agentId,
        workspace_id: world.workspaceId,
        grant: {
          tools: ['whose'],
          fs: [],
          net: [],
          secrets: ['DEPLOY_KEY'],
          budgets: {},
          not_before: 0,
          expires_at: Date.now() + 3_600_000,
        },
      })
    ).capability_token_id as string;
    expect(await call('whose', {}, { capability_token_id: granted })).toMatchObject({
      error: { code: 'secret.unknown' },
    });
    expect((await world.admin.request('PUT', '/v1/secrets', { name: 'DEPLOY_KEY', value: secret })).status).toBe(200);
    const { result } = await call('whose', {}, { capability_token_id: granted });
    expect(result).toMatchObject({ exit_code: 0, output: expect.stringMatching(/^Bearer [^\n]*DEPLOY_KEY[^\n]*\n$/) });
    expect(result.output).not.toContain(secret);
  });

  it('S6.14: an admin tool is blocked in a scheduled session, and held in an interactive one', async () => {
    expect(await call('release', {}, { session_mode: 'scheduled' })).toMatchObject({
      status: 'error',
      error: { code: 'policy.denied' },
    });
    expect(await call('release')).toMatchObject({ state: 'held' });
  });

  it("the changes of a writing tool's program are committed, and a read-only tool changes nothing", async () => {
    expect(await call('copy', { from: 'a.txt', to: 'z.txt' })).toMatchObject({ tx_outcome: 'committed' });
    expect(await world.file('z.txt')).toBe('one\n');
    expect(await call('copy', { from: 'nothing', to: 'y.txt' })).toMatchObject({
      tx_outcome: 'rolled_back',
      error: { code: 'command.failed' },
    });
    expect(await call('touches')).toMatchObject({ error: { code: 'effect.invalid' } });
    expect(await world.file('made')).toBeNull();
  });

  it('a removed tool is unknown, as it always was to another tenant', async () => {
    expect(
      await put(world, [{ name: 'short_lived', description: 'Soon gone.', category: 'read', cmd: 'true' }]),
    ).toMatchObject({ valid: true });
    expect(await call('short_lived')).toMatchObject({ status: 'ok' });
    expect((await world.admin.request('DELETE', '/v1/tools/short_lived')).status).toBe(200);
    expect(await call('short_lived')).toMatchObject({ error: { code: 'tool.unknown' } });
    const other = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'x' } });
    expect((await other.call('say', { word: 'x' }, { capability_token_id: await tokenFor(other) })).body).toMatchObject(
      { error: { code: 'tool.unknown' } },
    );
    expect((await other.admin.get('/v1/tools/say')).status).toBe(404);
  });
});

describe('paths', () => {
  const denied = (path: string) => ({ path, read: false, write: false, denied: true });
  let narrow: string;
  beforeAll(async () => {
    narrow = await tokenFor(world, [{ path: 'src', read: true, write: true }, denied('src/keys')]);
  });
  const with_ = (tool: string, args: JsonValue) => call(tool, args, { capability_token_id: narrow });

  it('S6.10: a read outside the allowed paths returns a permission error', async () => {
    expect(await with_('fs.read', { path: 'a.txt' })).toMatchObject({
      status: 'error',
      error: { code: 'token.scope' },
    });
    expect(await with_('fs.read', { path: 'src/b.txt' })).toMatchObject({ status: 'ok' });
  });

  it('S6.11: a write to a denied path returns a permission error, even inside an allowed path', async () => {
    expect(await with_('fs.write', { path: 'src/keys/new', content: 'x' })).toMatchObject({
      error: { code: 'token.scope' },
    });
    expect(await with_('fs.read', { path: 'src/keys/id' })).toMatchObject({ error: { code: 'token.scope' } });
    expect((await with_('fs.search', { pattern: 'private' })).status).toBe('error');
    expect(JSON.stringify(await with_('fs.search', { pattern: 'private', path: 'src' }))).not.toContain('src/keys/id:');
  });

  it('S6.12: a link that leads outside the allowed paths, or into denied ones, is rejected', async () => {
    expect(
      await call('shell.run', { command: 'ln -s ../docs/c.txt src/out; ln -s keys/id src/in; ln -s keys src/dir' }),
    ).toMatchObject({ tx_outcome: 'committed' });
    for (const path of ['src/out', 'src/in', 'src/dir/id']) {
      expect(await with_('fs.read', { path })).toMatchObject({ error: { code: 'token.scope' } });
      expect(await with_('fs.write', { path, content: 'x' })).toMatchObject({ error: { code: 'token.scope' } });
    }
  });

  it('a command sees nothing of a denied path, and can neither write it nor remove its parents', async () => {
    const { result } = await with_('shell.run', { command: 'ls src src/keys; cat src/keys/id', on_failure: 'keep' });
    expect(result.output).not.toContain('private');
    expect(await with_('shell.run', { command: 'mkdir -p src/keys; echo x > src/keys/id' })).toMatchObject({
      error: { code: 'effect.out_of_scope' },
    });
    expect(await with_('copy', { from: 'src/b.txt', to: 'src/keys' })).toMatchObject({
      error: { code: 'effect.out_of_scope' },
    });
    expect(await world.file('src/keys/id')).toBe('private\n');
  });

  it('a child token that leaves out a denial of its parent is refused', async () => {
    const grant = {
      tools: ['*'],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 1_000_000,
    };
    const child = (fs: JsonValue) =>
      world.admin.post(`/v1/capability-tokens/${narrow}/attenuate`, { grant: { ...grant, fs } });
    expect((await child([{ path: 'src', read: true, write: false }])).body).toMatchObject({
      code: 'token.not_narrower',
    });
    expect((await child([{ path: 'src', read: true, write: false }, denied('src/keys')])).status).toBeLessThan(300);
  });
});
