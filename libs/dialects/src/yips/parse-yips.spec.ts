// SPDX-License-Identifier: Apache-2.0
import { parse } from '../dialects.ts';

const read = (output: string): ReturnType<typeof parse> => parse('yips', output);
const fenced = (body: unknown, tag = 'yips-agent'): string =>
  `\`\`\`${tag}\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}\n\`\`\`\n`;
const action = (name: string, args: object, type = 'tool'): string =>
  fenced({ actions: [{ type, id: 'x1', name, arguments: args }] });
const problems = (output: string): [string, string | null, string][] =>
  read(output).problems.map(({ level, call_id, message }) => [level, call_id, message]);

describe('the envelopes of the document', () => {
  it('yips-agent', () => {
    const output = fenced({
      assistant_text: 'Optional plain-language response',
      actions: [{ type: 'tool', id: 't1', name: 'read_file', arguments: { path: 'README.md' } }],
    });
    expect(read(output)).toEqual({
      text: 'Optional plain-language response',
      calls: [
        { id: 't1', name: 'read_file', tool_id: 'fs.read', args: { path: 'README.md' }, mode: 'run', show: {}, at: 0 },
      ],
      problems: [],
      stop: null,
    });
  });

  it('yips-tools, with skills and agents below', () => {
    const body = {
      tool_calls: [{ id: 't1', name: 'list_dir', arguments: { path: '.' } }],
      skill_calls: [{ id: 's1', name: 'search', arguments: { query: 'yips' } }],
      subagent_calls: [{ id: 'a1', task: 'summarize docs', max_rounds: 2 }],
    };
    expect(read(fenced(body, 'yips-tools')).calls.map(({ id, tool_id, args }) => [id, tool_id, args])).toEqual([
      ['t1', 'fs.list', { path: '.' }],
      ['s1', 'web.search', { query: 'yips' }],
      ['a1', 'agent.spawn', { task: 'summarize docs', rounds_max: 2 }],
    ]);
  });

  it('the minimal one', () => {
    expect(read(action('list_dir', { path: '.' })).calls).toHaveLength(1);
  });

  it('text around an envelope is for people', () => {
    expect(read(`Before.\n${action('list_dir', {})}After.`).text).toBe('Before.\nAfter.');
  });

  it('back-ticks in its texts do not close it, on one line or on several', () => {
    const content = '```ts\nx\n```\n~~~~\n';
    const body = { actions: [{ type: 'tool', id: 't1', name: 'write_file', arguments: { path: 'a.md', content } }] };
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)])
      expect(read(`\`\`\`yips-agent\n${text}\n\`\`\`\n`)).toMatchObject({
        calls: [{ id: 't1', args: { path: 'a.md', content } }],
        problems: [],
      });
  });

  it('no envelope is plain text', () => {
    expect(read('Just words and `code`.\n```ts\nx\n```\n')).toEqual({
      text: 'Just words and `code`.\n```ts\nx\n```\n',
      calls: [],
      problems: [],
      stop: null,
    });
  });
  it('a fence opens only at the beginning of a line', () => {
    expect(read(`  ${action('list_dir', {})}`).calls).toEqual([]);
  });
});

describe('every name of the allow-lists', () => {
  it.each<[string, object, string, object, string]>([
    ['read_file', { path: 'a', maxBytes: 10 }, 'fs.read', { path: 'a' }, 'run'],
    ['preview_write_file', { path: 'a', content: 'b' }, 'fs.write', { path: 'a', content: 'b' }, 'stage'],
    [
      'preview_edit_file',
      { path: 'a', oldText: 'b', newText: 'c' },
      'fs.edit',
      { path: 'a', edits: [{ find: 'b', replace: 'c' }] },
      'stage',
    ],
    ['apply_file_change', { token: 'k' }, 'fs.write', { token: 'k' }, 'apply'],
    ['write_file', { path: 'a', content: 'b' }, 'fs.write', { path: 'a', content: 'b' }, 'stage'],
    [
      'edit_file',
      { path: 'a', oldText: 'b', newText: 'c', replaceAll: true },
      'fs.edit',
      { path: 'a', edits: [{ find: 'b', replace: 'c', count: 'all' }] },
      'stage',
    ],
    ['list_dir', {}, 'fs.list', {}, 'run'],
    [
      'grep',
      { pattern: 'a+', path: 'src', maxMatches: 3 },
      'fs.search',
      { pattern: 'a+', path: 'src', max: 3, regex: true },
      'run',
    ],
    [
      'run_command',
      { command: 'ls', cwd: 'src', timeoutMs: 5000 },
      'shell.run',
      { command: 'ls', cwd: 'src', timeout_ms: 5000 },
      'run',
    ],
  ])('the tool %s', (name, args, tool_id, canonical, mode) => {
    expect(read(action(name, args)).calls).toEqual([expect.objectContaining({ name, tool_id, args: canonical, mode })]);
  });

  it.each<[string, object, string, object]>([
    ['search', { query: 'a', maxResults: 2 }, 'web.search', { query: 'a', max_results: 2 }],
    [
      'fetch',
      { url: 'https://example.com', maxChars: 500 },
      'web.fetch',
      { url: 'https://example.com', max_chars: 500 },
    ],
    ['build', { command: 'make' }, 'shell.run', { command: 'make' }],
    ['todos', {}, 'fs.search', { pattern: '\\b(?:TODO|FIXME)\\b', regex: true }],
    ['virtual_terminal', { command: 'ls', cwd: "it's" }, 'shell.session', { command: "cd -- 'it'\\''s' && {\nls\n}" }],
  ])('the skill %s', (name, args, tool_id, canonical) => {
    expect(read(action(name, args, 'skill')).calls).toEqual([
      expect.objectContaining({ name, tool_id, args: canonical }),
    ]);
  });

  it.each<[string, string, object, string, object]>([
    ['tool', 'task.create', { title: 'a' }, 'task.create', { title: 'a' }],
    ['tool', 'tool:kubectl_get', { resource: 'pods' }, 'kubectl_get', { resource: 'pods' }],
    ['skill', 'release', {}, 'skill.read', { skill: 'release' }],
    ['skill', 'release', { path: 'notes.md' }, 'skill.read', { skill: 'release', path: 'notes.md' }],
  ])(
    'the %s %s, which is none of its own names, is a canonical call that the kernel decides',
    (type, name, args, ...is) =>
      expect(read(action(name, args, type)).calls.map(({ tool_id, args: canonical }) => [tool_id, canonical])).toEqual([
        is,
      ]),
  );

  it('a subagent has context and allowed tools, which become its task and its narrower grant', () => {
    const subagent = {
      type: 'subagent',
      id: 'a1',
      task: 'count the files',
      context: 'They are in src.',
      allowed_tools: ['list_dir', 'preview_edit_file', 'web.*'],
      max_rounds: 3,
    };
    expect(read(fenced({ actions: [subagent] })).calls).toMatchObject([
      {
        tool_id: 'agent.spawn',
        args: {
          task: 'count the files\n\nContext:\nThey are in src.',
          tools: ['fs.list', 'fs.edit', 'fs.read', 'web.*'],
          rounds_max: 3,
        },
      },
    ]);
    expect(problems(fenced({ actions: [{ type: 'subagent', id: 'a1' }] }))).toEqual([
      ['call', 'a1', expect.stringMatching(/^`subagent` needs `task`: say what the agent is to do/)],
    ]);
  });

  it('legacy names stage and are marked; limits on the answer are kept with the call', () => {
    expect(read(action('write_file', { path: 'a', content: 'b' })).calls[0]?.show).toEqual({ legacy: true });
    expect(read(action('read_file', { path: 'a', maxBytes: 10 })).calls[0]?.show).toEqual({ chars_max: 10 });
  });
});

describe('a protocol error runs nothing', () => {
  const ONE = action('list_dir', { path: '.' });
  it.each([
    ['two envelopes', `${ONE}\n${ONE}`, 'there are 2 envelopes: expected exactly one'],
    [
      'two envelopes, the first closed by a longer fence',
      '```yips-agent\n{"actions":[{"type":"tool","id":"t1","name":"list_dir","arguments":{"path":"."}}]}\n````\n\n```yips-agent\n{"actions":[{"type":"tool","id":"t2","name":"read_file","arguments":{"path":"README.md"}}]}\n```\n',
      'there are 2 envelopes: expected exactly one',
    ],
    ['one of each', `${ONE}${fenced({}, 'yips-tools')}`, 'there are 2 envelopes: expected exactly one'],
    ['an empty body', fenced(' '), 'the `yips-agent` block is empty'],
    [
      'invalid JSON',
      fenced('{"actions": [}'),
      'the body of `yips-agent` is no JSON that is taken: text is not valid JSON at `/actions` (line 1, column 14)',
    ],
    ['a list', fenced([]), 'the body of `yips-agent` must be a JSON object'],
    ['no object', fenced('1', 'yips-tools'), 'the body of `yips-tools` must be a JSON object'],
    ["a block that isn't closed", '```yips-agent\n{}', "the `yips-agent` block isn't closed"],
  ])('%s', (_what, output, message) => {
    expect([read(output).calls, problems(output)]).toEqual([[], [['protocol', null, message]]]);
  });
});

describe('an action that is dropped has a reason', () => {
  it.each([
    [
      'an unknown tool',
      { type: 'tool', id: 'x1', name: 'delete_everything', arguments: {} },
      'x1',
      /names no tool that there is: `read_file`/,
    ],
    [
      'an unknown skill',
      { type: 'skill', id: 'x1', name: 'Release', arguments: {} },
      'x1',
      /names no skill that there is: `search`, `fetch`/,
    ],
    [
      'a skill among tools',
      { type: 'tool', id: 'x1', name: 'search', arguments: { query: 'a' } },
      'x1',
      /names no tool/,
    ],
    ['no id', { type: 'tool', name: 'list_dir', arguments: {} }, null, /has no `id`/],
    ['no type', { id: 'x1', name: 'list_dir', arguments: {} }, 'x1', /has no `type`/],
    [
      'wrong arguments',
      { type: 'tool', id: 'x1', name: 'read_file', arguments: { path: 1 } },
      'x1',
      /`\/path` must be string/,
    ],
    ['arguments that are missing', { type: 'tool', id: 'x1', name: 'read_file' }, 'x1', /don't fit/],
    [
      'unknown arguments',
      { type: 'tool', id: 'x1', name: 'list_dir', arguments: { all: true } },
      'x1',
      /`\/all` is not known here/,
    ],
    [
      'unknown members',
      { type: 'tool', id: 'x1', name: 'list_dir', arguments: {}, force: true },
      'x1',
      /has no member `force`/,
    ],
    ['no object', 'list_dir', null, /must be an object/],
  ])('%s', (_what, dropped, id, message) => {
    const output = fenced({ actions: [dropped, { type: 'tool', id: 'ok', name: 'list_dir', arguments: {} }] });
    expect([read(output).calls.map((call) => call.id), problems(output)]).toEqual([
      ['ok'],
      [['call', id, expect.stringMatching(message)]],
    ]);
  });

  it('of a duplicate id the first wins, with a warning', () => {
    const twice = { type: 'tool', id: 'x1', name: 'list_dir', arguments: {} };
    expect([
      read(fenced({ actions: [twice, twice] })).calls.length,
      problems(fenced({ actions: [twice, twice] })),
    ]).toEqual([1, [['warning', 'x1', expect.stringContaining('twice')]]]);
  });

  it('unknown members of an envelope are reported', () => {
    expect(problems(fenced({ plan: 'x', actions: [] }))).toEqual([
      ['warning', null, '`yips-agent` has no member `plan`: it is not read'],
    ]);
  });
});
