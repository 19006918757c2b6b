// SPDX-License-Identifier: Apache-2.0
// One conversation in Yips, run by run: a change that is staged, shown and applied; skills; a sub-agent; envelopes that
// are wrong; failures that bring the guidance; and the limit of rounds.
import { vi } from 'vitest';
import { Talk, type Said, type Step } from './talk.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const FILES = {
  'README.md': '# Yips\n\nTODO: say how tools are called.\n',
  'src/main.ts': '// FIXME: exit code\n',
  'build.sh': 'echo built\n',
};
const fence = (body: object | string): string =>
  `\`\`\`yips-agent\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}\n\`\`\``;
const act = (actions: readonly object[], assistant_text?: string): Said =>
  fence({ ...(assistant_text === undefined ? {} : { assistant_text }), actions });
const action = (type: string) => (id: string, name: string, args: object) => ({ type, id, name, arguments: args });
const [tool, skill] = [action('tool'), action('skill')];

interface Result {
  readonly id: string | null;
  readonly name?: string;
  readonly status: string;
  readonly output?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
}
/** The results that the model was told. */
function results(content: string): Result[] {
  const [title, ...lines] = content.split('\n');
  expect(title).toBe('Action results:');
  return lines.map((line) => JSON.parse(line) as Result);
}
const statuses = (content: string): string[] => results(content).map(({ status }) => status);

let talk: Talk;
let session: string;
beforeAll(async () => {
  talk = await Talk.open('talk-yips', FILES);
  const capability_token_id = await talk.token({ tools: ['fs.*', 'shell.*', 'agent.spawn'] });
  session = await talk.session({ capability_token_id, dialect: 'yips' });
});
afterAll(async () => {
  await talk?.close();
});

const CHANGE: readonly Step[] = [
  ({ system, messages }) => {
    expect(system).toContain('```yips-agent');
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    return act([tool('t1', 'list_dir', { path: '.' }), tool('t2', 'read_file', { path: 'README.md' })], 'I look.');
  },
  ({ last }) => {
    expect(results(last)).toMatchObject([
      { id: 't1', status: 'ok', output: expect.stringContaining('README.md') },
      { id: 't2', status: 'ok', output: FILES['README.md'] },
    ]);
    return act([
      tool('p1', 'preview_edit_file', {
        path: 'README.md',
        oldText: 'TODO: say how tools are called.',
        newText: 'Tools are called by one envelope.',
      }),
      tool('p2', 'write_file', { path: 'docs/new.md', content: 'new\n' }),
    ]);
  },
  ({ last }) => {
    const [edit, legacy] = results(last);
    expect(edit).toMatchObject({ status: 'ok', metadata: { path: 'README.md' } });
    expect(edit?.metadata?.['diffPreview']).toContain('-TODO: say how tools are called.\n+Tools are called by');
    expect(legacy).toMatchObject({ status: 'ok', metadata: { legacyTranslated: true } });
    return act([
      tool('a1', 'apply_file_change', { token: edit?.metadata?.['token'] }),
      tool('a2', 'apply_file_change', { token: legacy?.metadata?.['token'] }),
      tool('a3', 'apply_file_change', { token: legacy?.metadata?.['token'] }),
    ]);
  },
  ({ last }) => {
    expect(statuses(last).slice(0, 2)).toEqual(['ok', 'ok']);
    expect(results(last)[2]).toMatchObject({ error: { code: 'stale-preview' } });
    return 'The README says how tools are called.';
  },
];

const SKILLS: readonly Step[] = [
  () =>
    act([
      skill('s1', 'todos', {}),
      skill('s2', 'build', { command: 'sh build.sh' }),
      skill('s3', 'virtual_terminal', { command: 'cd src; pwd' }),
      tool('s4', 'grep', { pattern: 'FIX.E', path: 'src' }),
      { type: 'subagent', id: 's5', task: 'Count the files.', max_rounds: 2, allowed_tools: ['list_dir'] },
    ]),
  ({ last }) => {
    expect(results(last)).toMatchObject([
      { id: 's1', status: 'ok', output: expect.stringContaining('FIXME: exit code') },
      { id: 's2', status: 'ok', output: expect.stringContaining('built') },
      { id: 's3', status: 'ok', output: expect.stringContaining('/workspace/src') },
      { id: 's4', status: 'ok', output: expect.stringContaining('src/main.ts') },
      { id: 's5', status: 'ok', output: expect.stringContaining('There are several.') },
    ]);
    // The form of old scripts.
    return `\`\`\`yips-tools\n${JSON.stringify({
      tool_calls: [{ id: 't1', name: 'list_dir', arguments: { path: '.' } }],
      skill_calls: [{ id: 's1', name: 'todos', arguments: { path: 'src' } }],
      subagent_calls: [{ id: 'a1', task: 'Count the files.', max_rounds: 2 }],
    })}\n\`\`\``;
  },
  ({ last }) => {
    expect(statuses(last)).toEqual(['ok', 'ok', 'ok']);
    return 'One comment is left to mend.';
  },
];
const COUNT: readonly Step[] = [
  () => act([tool('c1', 'list_dir', {})]),
  ({ last }) => {
    expect(statuses(last)).toEqual(['ok']);
    return 'There are several.';
  },
];

const WRONG: readonly Step[] = [
  () =>
    `${fence({ actions: [tool('t1', 'list_dir', { path: '.' })] })}\n${fence({ actions: [tool('t2', 'read_file', { path: 'README.md' })] })}`,
  ({ last }) => {
    expect(last).toContain('expected exactly one');
    return act([
      tool('x1', 'delete_everything', {}),
      tool('x2', 'read_file', { path: 'README.md' }),
      tool('x2', 'read_file', { path: 'src/main.ts' }),
      tool('x3', 'run_command', { command: 'rm -rf /' }),
    ]);
  },
  ({ last, messages }) => {
    expect(last).toMatch(/^Note: the id `x2` stands in this output twice: the first call has it/);
    const told = results(messages.at(-2)?.content ?? '');
    expect(told.find(({ id }) => id === 'x1')).toMatchObject({ status: 'error' });
    expect(told.find(({ id }) => id === 'x2')).toMatchObject({
      status: 'ok',
      output: expect.stringContaining('# Yips'),
    });
    expect(told.find(({ id }) => id === 'x3')).toMatchObject({ status: 'denied' });
    return act([tool('f1', 'read_file', { path: 'none.txt' })]);
  },
  () => act([tool('f2', 'read_file', { path: 'none/either.txt' })]),
  ({ last }) => {
    expect(last).toContain('Every action of the last two rounds failed');
    return 'There is no such file.';
  },
];

it('a conversation in Yips stages and applies, uses skills and a sub-agent, and its receipts verify', async () => {
  const { world } = talk;
  expect(await talk.run(session, 'Say how tools are called.', CHANGE)).toMatchObject({ stopped: 'end', rounds: 4 });
  expect(await world.file('README.md')).toBe('# Yips\n\nTools are called by one envelope.\n');
  expect(await world.file('docs/new.md')).toBe('new\n');
  talk.script('Count the files.', COUNT);
  const run = await talk.run(session, 'What is left to do?', SKILLS);
  expect(run).toMatchObject({ stopped: 'end', rounds: 3 });
  const below = (await world.admin.get(`/v1/sessions?run_id=${run.run_id as string}`)).body.items;
  expect(below).toHaveLength(2);
  for (const { session_id } of below) expect((await talk.verified(session_id as string)).flat()).toContain('no_op');
});

it('wrong envelopes are repaired, failures bring guidance, and the limit of rounds ends the run', async () => {
  expect(await talk.run(session, 'Try this.', WRONG)).toMatchObject({ stopped: 'end', rounds: 5 });
  const again = (): Said => act([tool('r1', 'list_dir', {})]);
  expect(
    await talk.run(
      session,
      'Go on for ever.',
      Array.from({ length: 6 }, () => again),
    ),
  ).toMatchObject({ stopped: 'limit', rounds: 6 });
  const ends = await talk.verified(session);
  expect(ends.filter(([, end]) => end === 'committed').map(([name]) => name)).toEqual(['fs.edit', 'fs.write']);
  expect(ends).toContainEqual(['shell.run', 'refused']);
});
