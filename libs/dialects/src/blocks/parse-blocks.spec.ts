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
  it('mk8.shell is recognised by its script', () => {
    expect(
      calls(`[TOOL_CALL:c1] ${JSON.stringify({ resourceId: '7f0c', sandboxId: 'build', script: SCRIPT })}`),
    ).toEqual([
      { id: 'c1', name: 'mk8.shell', tool_id: 'mk8.run', args: { sandbox: 'build', resource: '7f0c', script: SCRIPT } },
    ]);
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

  it('a transcription is recognised by its model, and is of a device', () => {
    expect(calls('[TOOL_CALL:c1] {"targetId":"mic","transcriptionModelId":"m","language":"en"}')).toEqual([
      {
        id: 'c1',
        name: 'transcribe_from_audio_device',
        tool_id: 'audio.transcribe',
        args: { device: 'mic', model: 'm', language: 'en' },
      },
    ]);
  });

  it.each([
    ['device', { targetId: 'mic', seconds: 30 }, { device: 'mic', last_seconds: 30 }],
    ['device', { targetId: 'mic', seconds: 9_999 }, { device: 'mic', last_seconds: 600 }],
    ['stream', { targetId: 'mic' }, { device: 'mic', listen_seconds: 15 }],
    ['stream', { targetId: 'mic', seconds: 5 }, { device: 'mic', listen_seconds: 5 }],
    ['stream', { targetId: 'mic', sinceSeq: 7, language: 'en' }, { device: 'mic', since_seq: 7, language: 'en' }],
    ['file', { targetId: 'a.wav', transcriptionModelId: 'm' }, { path: 'a.wav', model: 'm' }],
  ])('transcribe_from_audio_%s takes %j', (from, members, args) => {
    const action = `transcribe_from_audio_${from}`;
    expect(calls(`[TOOL_CALL:c1] ${JSON.stringify({ action, ...members })}`)).toEqual([
      { id: 'c1', name: action, tool_id: 'audio.transcribe', args },
    ]);
  });

  it.each(['device', 'stream', 'file'])('transcribe_from_audio_%s without a target asks for it', (from) => {
    const action = `transcribe_from_audio_${from}`;
    expect(problems(`[TOOL_CALL:c1] ${JSON.stringify({ action })}`)).toEqual([
      ['c1', expect.stringMatching(/needs `targetId`: (a registered audio device|the path of an audio file)/)],
    ]);
  });

  it.each([
    ['create_container', 'container.create'],
    ['register_info_store', 'store.register'],
  ])('the global action %s is %s', (action, tool_id) => {
    expect(calls(`[TOOL_CALL:g] {"action":"${action}"}`)).toEqual([{ id: 'g', name: action, tool_id, args: {} }]);
  });

  it('create_sub_agent asks for the task that the document leaves out, and has context and allowed tools', () => {
    expect(read('[TOOL_CALL:g] {"action":"create_sub_agent"}')).toMatchObject({
      calls: [],
      problems: [
        { level: 'call', call_id: 'g', message: expect.stringMatching(/^`create_sub_agent` needs `task`: say what/) },
      ],
    });
    expect(
      calls(
        '[TOOL_CALL:g] {"action":"create_sub_agent","task":"a","context":"b","allowedTools":["fs.read"],"maxRounds":2}',
      ),
    ).toEqual([
      {
        id: 'g',
        name: 'create_sub_agent',
        tool_id: 'agent.spawn',
        args: { task: 'a\n\nContext:\nb', tools: ['fs.read'], rounds_max: 2 },
      },
    ]);
  });

  it('edit_task edits the task in its target, edit_any_task the one in a member', () => {
    expect(calls('[TOOL_CALL:r] {"action":"edit_task","targetId":"x","status":"done"}')).toEqual([
      { id: 'r', name: 'edit_task', tool_id: 'task.edit', args: { task_id: 'x', status: 'done' } },
    ]);
    expect(calls('[TOOL_CALL:r] {"action":"edit_any_task","taskId":"x","title":"y"}')).toEqual([
      { id: 'r', name: 'edit_any_task', tool_id: 'task.edit', args: { task_id: 'x', title: 'y', any: true } },
    ]);
    // The empty form of the document is answered with a question.
    expect(problems('[TOOL_CALL:r] {"action":"edit_any_task"}')).toEqual([
      ['r', expect.stringMatching(/^`edit_any_task` needs `taskId`: say which: `task\.list` with `any`/)],
    ]);
  });

  it('register_info_store has the defaults of a store, and members for what differs', () => {
    expect(
      calls('[TOOL_CALL:g] {"action":"register_info_store","name":"notes","embedding":"none","language":"english"}'),
    ).toEqual([
      {
        id: 'g',
        name: 'register_info_store',
        tool_id: 'store.register',
        args: { name: 'notes', embedding: 'none', text_config: 'english' },
      },
    ]);
  });

  it.each(['access_local_info_store', 'access_external_info_store'])(
    '%s searches the store in its target, and asks for the query that the document leaves out',
    (action) => {
      expect(calls(`[TOOL_CALL:r] {"action":"${action}","targetId":"notes","query":"tea","maxResults":500}`)).toEqual([
        expect.objectContaining({ tool_id: 'vecdb.query', args: { store: 'notes', text: 'tea', k: 100 } }),
      ]);
      expect(read(`[TOOL_CALL:r] {"action":"${action}","targetId":"notes"}`)).toMatchObject({
        calls: [],
        problems: [
          { level: 'call', call_id: 'r', message: `\`${action}\` needs \`query\`: say what to look for, in words` },
        ],
      });
    },
  );

  it('access_container is about the container in its target', () => {
    expect(calls('[TOOL_CALL:r] {"action":"access_container","targetId":"build"}')).toEqual([
      { id: 'r', name: 'access_container', tool_id: 'container.access', args: { container: 'build' } },
    ]);
  });

  it('query_search_engine searches with the engine in its target', () => {
    const found = (args: object) => ({ id: 's', name: 'query_search_engine', tool_id: 'web.search', args });
    expect(problems('[TOOL_CALL:s] {"action":"query_search_engine","targetId":"cats"}')).toEqual([
      ['s', '`query_search_engine` needs `query`: say what to search for'],
    ]);
    expect(calls('[TOOL_CALL:s] {"action":"query_search_engine","targetId":"engine","query":"cats"}')).toEqual([
      found({ engine: 'engine', query: 'cats' }),
    ]);
  });

  it('access_skill reads the skill in its target, or a file of it', () => {
    expect(calls('[TOOL_CALL:s] {"action":"access_skill","targetId":"release"}')).toEqual([
      { id: 's', name: 'access_skill', tool_id: 'skill.read', args: { skill: 'release' } },
    ]);
    expect(calls('[TOOL_CALL:s] {"action":"access_skill","targetId":"release","path":"steps.md"}')).toEqual([
      { id: 's', name: 'access_skill', tool_id: 'skill.read', args: { skill: 'release', path: 'steps.md' } },
    ]);
  });

  it('access_website reads a page of the registered website in its target', () => {
    const found = (args: object) => [{ id: 'w', name: 'access_website', tool_id: 'web.fetch', args }];
    expect(calls('[TOOL_CALL:w] {"action":"access_website","targetId":"docs"}')).toEqual(found({ site: 'docs' }));
    expect(calls('[TOOL_CALL:w] {"action":"access_website","targetId":"docs","url":"a.html"}')).toEqual(
      found({ site: 'docs', url: 'a.html' }),
    );
  });

  it('access_website reads the page in its target', () => {
    expect(calls('[TOOL_CALL:w] {"action":"access_website","targetId":"https://example.com/"}')).toEqual([
      { id: 'w', name: 'access_website', tool_id: 'web.fetch', args: { url: 'https://example.com/' } },
    ]);
  });

  it('an explicit action comes before the shape, and names any canonical tool', () => {
    expect(calls('[TOOL_CALL:a] {"action":"fs.read","args":{"path":"a.txt"}}')).toEqual([
      { id: 'a', name: 'fs.read', tool_id: 'fs.read', args: { path: 'a.txt' } },
    ]);
    expect(problems('[TOOL_CALL:a] {"action":"create_container","script":{}}')).toEqual([
      ['a', "the arguments of `create_container` don't fit: `/script` is not known here; known here: `action`, `name`"],
    ]);
  });
});

describe('the position of a block', () => {
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

describe('malformed calls are reported', () => {
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

  it('a duplicate id: the first call has it', () => {
    const output = '[TOOL_CALL:a] {"action":"fs.list"} [TOOL_CALL:a] {"action":"fs.read","args":{"path":"x"}}';
    expect([calls(output), problems(output)]).toEqual([
      [expect.objectContaining({ tool_id: 'fs.list' })],
      [['a', "the id `a` stands in this output twice: the first call has it, and this one doesn't run"]],
    ]);
  });

  it('calls within an object without an end', () => {
    expect(problems('[TOOL_CALL:a] {"action":"fs.list" [TOOL_CALL:b] {"action":"fs.list"}').map(([id]) => id)).toEqual([
      'a',
      'b',
    ]);
  });

  it('too many calls in one output, and an output that is too long', () => {
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
