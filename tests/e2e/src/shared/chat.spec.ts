// SPDX-License-Identifier: Apache-2.0
// `writ chat` against a whole Writ, with a model on loopback: in a pipe, and at a real terminal where a person decides
// by a key.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { makeWorld, serveModels, sharedStack, type Proxy, type SharedStack, type World } from '@writ/stack';
import { chatChunk, repositoryRoot, WireServer, type WireRequest } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const CHAT = [process.execPath, join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js'), 'chat', '--model', 'chat'];
let stack: SharedStack;
let world: World;
let model: WireServer;
let served: Proxy;
let folder: string;

const DONE = 'data: [DONE]\n\n';
const calls = (name: string, args: object): string[] => [
  chatChunk({ content: 'I do it. ' }),
  chatChunk({
    tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  }),
  chatChunk({}, 'tool_calls'),
  DONE,
];
/** The same edit in each text dialect; Yips shows a change before it applies it. */
const fenced = (name: string, args: object): string =>
  `\`\`\`yips-agent\n${JSON.stringify({ assistant_text: 'I do it.', actions: [{ type: 'tool', id: 't1', name, arguments: args }] })}\n\`\`\``;
const WRITTEN: Readonly<Record<string, (n: number, last: string) => string | undefined>> = {
  blocks: (n) =>
    [
      `I do it. [TOOL_CALL:a] ${JSON.stringify({ action: 'fs.edit', args: { path: 'blocks.txt', edits: [{ find: 'one', replace: 'two' }] } })}`,
    ][n],
  'tools-xml': (n) =>
    ['I do it.\n<tools><edit><file src="tools-xml.txt"><find>one</find><replace>two</replace></file></edit></tools>'][
      n
    ],
  yips: (n, last) =>
    [
      fenced('preview_edit_file', { path: 'yips.txt', oldText: 'one', newText: 'two' }),
      fenced('apply_file_change', { token: /"token":"([^"]+)"/.exec(last)?.[1] }),
    ][n],
};
const says = (text: string): string[] => [
  ...(text.match(/[^]{1,9}/g) ?? []).map((content) => chatChunk({ content })),
  chatChunk({}, 'stop'),
  DONE,
];
/** Makes the edit that the task names, then reports that it is done. */
function reply({ body }: WireRequest): string[] {
  const messages = body['messages'] as { readonly role: string; readonly content?: string }[];
  const [, dialect] = /^write in (.+)/.exec(messages.find(({ role }) => role === 'user')?.content ?? '') ?? [];
  if (dialect !== undefined)
    return says(
      WRITTEN[dialect]?.(messages.filter(({ role }) => role === 'assistant').length, messages.at(-1)?.content ?? '') ??
        'It is done.',
    );
  if (messages.at(-1)?.role === 'tool')
    return [chatChunk({ content: 'It is ' }), chatChunk({ content: 'done.' }), chatChunk({}, 'stop'), DONE];
  return messages.at(-1)?.content?.startsWith('delete') === true
    ? calls('bash', { command: 'rm -rf old' })
    : calls('write_file', { path: 'a.txt', content: 'two\n' });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-chat-'));
  model = await new WireServer().open();
  model.script = (asked) => ({ chunks: reply(asked), end: 'whole' });
  served = await serveModels('chat', model.url);
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: {
      'a.txt': 'one\n',
      'old/b.txt': 'two\n',
      'blocks.txt': 'one\n',
      'tools-xml.txt': 'one\n',
      'yips.txt': 'one\n',
    },
  });
  writeFileSync(
    join(folder, 'cli.json'),
    JSON.stringify({
      url: stack.url,
      api_key: world.admin.key,
      operator_key: world.operator.key,
      agent_key: world.agent.key,
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      capability_token_id: world.tokenId,
    }),
    { mode: 0o600 },
  );
});
afterAll(async () => {
  await served?.close();
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});
const env = () => ({ PATH: process.env['PATH'] ?? '', TERM: 'xterm', WRIT_STATE_DIR: folder });

it("in a pipe: the message is read, the model's text is printed, and the workspace has changed", async () => {
  const child = spawn(CHAT[0]!, [...CHAT.slice(1), '--verbose'], { env: env() });
  child.stdin.end('write it\n');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  expect([child.exitCode, out]).toEqual([0, 'I do it. \nIt is done.\n']);
  for (const part of ['▸ fs.write', '✔ fs.write committed risk', '-one', '+two']) expect(err).toContain(part);
  expect(await world.file('a.txt')).toBe('two\n');
});

it.each(Object.keys(WRITTEN))(
  'in a pipe with a model that writes %s, people see its text and none of its calls',
  async (dialect) => {
    const child = spawn(CHAT[0]!, [...CHAT.slice(1), '--verbose', '--dialect', dialect], { env: env() });
    child.stdin.end(`write in ${dialect}\n`);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    expect([child.exitCode, out.split(/\s*\n\s*/).filter((line) => line !== '')]).toEqual([
      0,
      [...Array.from({ length: dialect === 'yips' ? 2 : 1 }, () => 'I do it.'), 'It is done.'],
    ]);
    expect(err).toContain('✔ fs.edit committed');
    expect(await world.file(`${dialect}.txt`)).toBe('two\n');
  },
);

it('at a terminal: a held call is shown with its deletions, and a key approves it', async () => {
  const child = spawn('script', ['-qfec', `exec ${CHAT.map((word) => `'${word}'`).join(' ')}`, '/dev/null'], {
    env: env(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let wake = (): void => undefined;
  child.stdout.on('data', (bytes: Buffer) => {
    shown += String(bytes);
    wake();
  });
  child.once('close', () => wake());
  const until = async (part: string, from = 0): Promise<number> => {
    for (let at = shown.indexOf(part, from); ; at = shown.indexOf(part, from)) {
      if (at >= 0) return at + part.length;
      if (child.exitCode !== null) throw new Error(`it ended without \`${part}\`:\n${shown}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  try {
    await until('› ');
    child.stdin.write('delete what is old\r');
    const asked = await until('eave it waiting? ');
    expect(shown).toContain('old/b.txt');
    child.stdin.write('a');
    const done = await until('It is done.', asked);
    expect(shown.slice(asked, done)).toMatch(/approved[^]*committed/);
    await until('› ', done);
    child.stdin.write('\u0004');
    await once(child, 'close');
    expect([child.exitCode, await world.file('old/b.txt')]).toEqual([0, null]);
  } finally {
    child.kill();
  }
});
