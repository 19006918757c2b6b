// SPDX-License-Identifier: Apache-2.0
import { parse } from '../dialects.ts';
import { DIALECT_LIMITS } from '../limits.ts';

const read = (output: string): ReturnType<typeof parse> => parse('blocks', output);
const calls = (output: string): unknown[] =>
  read(output).calls.map(({ id, name, tool_id, args }) => ({ id, name, tool_id, args }));
const problems = (output: string): [string | null, string][] =>
  read(output).problems.map(({ call_id, message }) => [call_id, message]);
const SCRIPT = { operations: [{ verb: 'FileRead', args: ['$WORKSPACE/a.txt'] }] };

describe('the calls of the document', () => {
  it('mk8.shell is told by its script', () => {
    expect(
      calls(`[TOOL_CALL:c1] ${JSON.stringify({ resourceId: '7f0c', sandboxId: 'build', script: SCRIPT })}`),
    ).toEqual([{ id: 'c1', name: 'mk8.shell', tool_id: 'mk8.run', args: { sandbox: 'build', script: SCRIPT } }]);
    expect(calls(`[TOOL_CALL:c1] ${JSON.stringify({ resourceId: '7f0c', script: SCRIPT })}`)).toEqual([
      expect.objectContaining({ args: { sandbox: '7f0c', script: SCRIPT } }),
    ]);
  });

  it.each(['Bash', 'PowerShell', 'CommandPrompt', 'Git'])(
    'the dangerous shell is told by its shellType: %s',
    (shellType) => {
      expect(calls(`[TOOL_CALL:c1] ${JSON.stringify({ resourceId: 'p1', shellType, command: 'status' })}`)).toEqual([
        {
          id: 'c1',
          name: 'dangerous_shell',
          tool_id: 'shell.dangerous',
          args: { profile: 'p1', shell: shellType, command: 'status' },
        },
      ]);
    },
  );

  it('a transcription is told by its model, and parsed although there is no such tool yet', () => {
    expect(calls('[TOOL_CALL:c1] {"targetId":"mic","transcriptionModelId":"m","language":"en"}')).toEqual([
      {
        id: 'c1',
        name: 'transcribe_from_audio_device',
        tool_id: 'audio.transcribe',
        args: { target_id: 'mic', model_id: 'm', language: 'en' },
      },
    ]);
  });

  it.each(['transcribe_from_audio_stream', 'transcribe_from_audio_file'])('%s is parsed', (action) => {
    expect(calls(`[TOOL_CALL:c1] {"action":"${action}","targetId":"f","transcriptionModelId":"m"}`)).toEqual([
      expect.objectContaining({ name: action, tool_id: 'audio.transcribe' }),
    ]);
  });

  it.each([
    ['create_sub_agent', 'agent.spawn'],
    ['create_container', 'container.create'],
    ['register_info_store', 'store.register'],
    ['edit_any_task', 'task.edit'],
  ])('the global action %s is %s', (action, tool_id) => {
    expect(calls(`[TOOL_CALL:g] {"action":"${action}"}`)).toEqual([{ id: 'g', name: action, tool_id, args: {} }]);
  });

  it.each([
    ['access_local_info_store', 'store.read_local'],
    ['access_external_info_store', 'store.read_external'],
    ['access_container', 'container.access'],
    ['manage_agent', 'agent.manage'],
  ])('the action %s of a resource is %s', (action, tool_id) => {
    expect(calls(`[TOOL_CALL:r] {"action":"${action}","targetId":"x"}`)).toEqual([
      { id: 'r', name: action, tool_id, args: { target_id: 'x' } },
    ]);
  });

  it('edit_task edits the task that its target is, edit_any_task the one that it names', () => {
    expect(calls('[TOOL_CALL:r] {"action":"edit_task","targetId":"x","status":"done"}')).toEqual([
      { id: 'r', name: 'edit_task', tool_id: 'task.edit', args: { task_id: 'x', status: 'done' } },
    ]);
    expect(calls('[TOOL_CALL:r] {"action":"edit_any_task","taskId":"x","title":"y"}')).toEqual([
      { id: 'r', name: 'edit_any_task', tool_id: 'task.edit', args: { task_id: 'x', title: 'y' } },
    ]);
  });

  it('query_search_engine searches for what its query says, else for its target', () => {
    const found = (args: object) => ({ id: 's', name: 'query_search_engine', tool_id: 'web.search', args });
    expect(calls('[TOOL_CALL:s] {"action":"query_search_engine","targetId":"cats"}')).toEqual([
      found({ query: 'cats' }),
    ]);
    expect(calls('[TOOL_CALL:s] {"action":"query_search_engine","targetId":"engine","query":"cats"}')).toEqual([
      found({ query: 'cats' }),
    ]);
  });

  it('access_skill reads the skill that its target is, or a file of it', () => {
    expect(calls('[TOOL_CALL:s] {"action":"access_skill","targetId":"release"}')).toEqual([
      { id: 's', name: 'access_skill', tool_id: 'skill.read', args: { skill: 'release' } },
    ]);
    expect(calls('[TOOL_CALL:s] {"action":"access_skill","targetId":"release","path":"steps.md"}')).toEqual([
      { id: 's', name: 'access_skill', tool_id: 'skill.read', args: { skill: 'release', path: 'steps.md' } },
    ]);
  });

  it('access_website reads the page that its target is', () => {
    expect(calls('[TOOL_CALL:w] {"action":"access_website","targetId":"https://example.com/"}')).toEqual([
      { id: 'w', name: 'access_website', tool_id: 'web.fetch', args: { url: 'https://example.com/' } },
    ]);
  });

  it('an explicit action comes before the shape, and names any canonical tool', () => {
    expect(calls('[TOOL_CALL:a] {"action":"fs.read","args":{"path":"a.txt"}}')).toEqual([
      { id: 'a', name: 'fs.read', tool_id: 'fs.read', args: { path: 'a.txt' } },
    ]);
    expect(problems('[TOOL_CALL:a] {"action":"create_container","script":{}}')).toEqual([
      ['a', "the arguments of `create_container` don't fit: `/script` is not known here"],
    ]);
  });
});

describe('where a block stands', () => {
  it('may be anywhere in a line, with white space before its object; markers and payloads are not for people', () => {
    const { text, calls: found } = read(
      'Look: [TOOL_CALL:a]\n  {"action":"fs.list"} and [TOOL_CALL:b]{"action":"fs.list"}.\nDone.',
    );
    expect([text, found.map(({ id, at }) => [id, at])]).toEqual([
      'Look:  and .\nDone.',
      [
        ['a', 6],
        ['b', 47],
      ],
    ]);
  });

  it('respects strings and escapes when braces are balanced', () => {
    expect(
      calls('[TOOL_CALL:a] {"action":"fs.write","args":{"path":"a","content":"}} \\" { [TOOL_CALL:x] {"}} rest'),
    ).toEqual([expect.objectContaining({ id: 'a', args: { path: 'a', content: '}} " { [TOOL_CALL:x] {' } })]);
  });

  it('leaves other brackets and results alone', () => {
    const output = 'a [TOOL] [[TOOL_CALX:1] [TOOL_RESULT:1] status=Completed result={} [TOOL_CALL';
    expect(read(output)).toEqual({ text: output, calls: [], problems: [], stop: null });
  });
});

describe('what is no call is told, never passed over', () => {
  it.each([
    ['no object', '[TOOL_CALL:a] hello', ['a', 'the marker of `a` has no JSON object after it']],
    ['the end instead of an object', '[TOOL_CALL:a]  ', ['a', 'the marker of `a` has no JSON object after it']],
    [
      "an object that doesn't end",
      '[TOOL_CALL:a] {"a":{"b":1}',
      ['a', "the payload of `a` doesn't end: its braces don't balance"],
    ],
    [
      'no JSON',
      '[TOOL_CALL:a] {action:1}',
      ['a', 'the payload is no JSON that is taken: text is not valid JSON (line 1, column 2)'],
    ],
    [
      'a key twice',
      '[TOOL_CALL:a] {"action":"fs.list","action":"fs.read"}',
      ['a', 'the payload is no JSON that is taken: object has the same key twice at `/action` (line 1, column 21)'],
    ],
    [
      'an empty payload',
      '[TOOL_CALL:a] {}',
      ['a', 'the payload names no action: give `action`, or the members of a shell or transcription'],
    ],
    [
      'a target without an action',
      '[TOOL_CALL:a] {"targetId":"x"}',
      ['a', 'the payload names no action: give `action`, or the members of a shell or transcription'],
    ],
    ['an action that is no name', '[TOOL_CALL:a] {"action":"rm -rf /"}', ['a', 'there is no action `rm -rf /`']],
    [
      'an action that is no text',
      '[TOOL_CALL:a] {"action":1}',
      ['a', '`action` must be a text: the name of an action'],
    ],
    [
      'an unknown shell',
      '[TOOL_CALL:a] {"resourceId":"p","shellType":"Zsh","command":"x"}',
      [
        'a',
        "the arguments of `dangerous_shell` don't fit: `/shellType` must be one of `Bash`, `PowerShell`, `CommandPrompt`, `Git`",
      ],
    ],
    [
      "a marker that isn't closed",
      '[TOOL_CALL:a\n{}',
      ['a', "a marker isn't closed: `[TOOL_CALL:` takes an id and `]` on the same line"],
    ],
    [
      "the document's own placeholder",
      '[TOOL_CALL:<unique_id>] {"action":"fs.list"}',
      [
        '_unique_id_',
        'the id `<unique_id>` is none that is taken: letters, digits, `.`, `_`, `:` and `-`, 128 at most',
      ],
    ],
    [
      'no id',
      '[TOOL_CALL:] {"action":"fs.list"}',
      [null, 'the id `` is none that is taken: letters, digits, `.`, `_`, `:` and `-`, 128 at most'],
    ],
  ])('%s', (_what, output, problem) => {
    expect([calls(output), problems(output)]).toEqual([[], [problem]]);
  });

  it('an id that stands there twice: the first call has it', () => {
    const output = '[TOOL_CALL:a] {"action":"fs.list"} [TOOL_CALL:a] {"action":"fs.read","args":{"path":"x"}}';
    expect([calls(output), problems(output)]).toEqual([
      [expect.objectContaining({ tool_id: 'fs.list' })],
      [['a', "the id `a` stands in this output twice: the first call has it, and this one doesn't run"]],
    ]);
  });

  it('calls that an object without end swallowed', () => {
    expect(problems('[TOOL_CALL:a] {"action":"fs.list" [TOOL_CALL:b] {"action":"fs.list"}').map(([id]) => id)).toEqual([
      'a',
      'b',
    ]);
  });

  it('more calls than one output may ask for, and an output that is too long', () => {
    const many = Array.from(
      { length: DIALECT_LIMITS.calls + 1 },
      (_, n) => `[TOOL_CALL:c${n}] {"action":"fs.list"}`,
    ).join('\n');
    expect([read(many).calls.length, problems(many)]).toEqual([
      DIALECT_LIMITS.calls,
      [[`c${DIALECT_LIMITS.calls}`, "one output asks for 256 calls at most: this one doesn't run"]],
    ]);
    const long = `[TOOL_CALL:a] {"action":"fs.list"}${'x'.repeat(DIALECT_LIMITS.outputChars)}`;
    expect([read(long).calls, read(long).problems.map(({ level }) => level)]).toEqual([[], ['protocol']]);
  });
});
