// SPDX-License-Identifier: Apache-2.0
import { nativeNameOf, toolIdOf } from '../aliases/native.ts';
import { parse } from '../dialects.ts';
import type { DialectName } from '../dialect.ts';
import { NATIVE, sse, WITH_ARGUMENTS, type NativeAnswer } from '../specs/native-answers.ts';

const ANSWER: NativeAnswer = {
  text: 'I read it.',
  calls: [
    { id: 'call_a', name: 'read_file', args: { path: 'README.md' } },
    { id: 'call_b', name: 'bash', args: { command: 'ls "a b"' } },
  ],
};
const DIALECTS = Object.keys(NATIVE) as (keyof typeof NATIVE)[];
const read = (dialect: DialectName, output: string): unknown => {
  const { text, calls, problems, stop } = parse(dialect, output);
  return {
    text,
    calls: calls.map(({ id, tool_id, args }) => [id, tool_id, args]),
    problems: problems.map(({ level, message }) => [level, message]),
    stop,
  };
};
const EXPECTED = {
  text: 'I read it.',
  calls: [
    ['call_a', 'fs.read', { path: 'README.md' }],
    ['call_b', 'shell.run', { command: 'ls "a b"' }],
  ],
  problems: [],
  stop: 'tool_use',
};

describe.each(DIALECTS)('%s', (dialect) => {
  const { whole, stream, cutOff } = NATIVE[dialect];
  it('parses a whole response', () => {
    expect(read(dialect, whole(ANSWER))).toEqual(EXPECTED);
  });
  it('parses the same response as a stream', () => {
    expect(read(dialect, stream(ANSWER))).toEqual(EXPECTED);
  });
  it('parses text alone', () => {
    for (const form of [whole, stream])
      expect(read(dialect, form({ text: 'Hi', calls: [] }))).toEqual({
        text: 'Hi',
        calls: [],
        problems: [],
        stop: 'end',
      });
  });

  it('runs no call of a reply that was cut off by its length', () => {
    expect(read(dialect, cutOff(ANSWER))).toEqual({
      text: 'I read it.',
      calls: [],
      problems: ['call_a', 'call_b'].map(() => ['call', expect.stringContaining('cut off by its length')]),
      stop: 'length',
    });
  });

  it('runs no call of an interrupted stream', () => {
    const broken = stream(ANSWER).split('\n\n').slice(0, -3).join('\n\n');
    expect(parse(dialect, `${broken}\n\n`)).toMatchObject({
      calls: [],
      stop: null,
      problems: expect.arrayContaining([expect.objectContaining({ level: 'protocol' })]) as unknown,
    });
  });

  it('runs nothing of an error, of no JSON, or of nothing', () => {
    for (const output of [
      '{"error":{"message":"overloaded"}}',
      sse(['{"error":{"message":"overloaded"}}']),
      '{"a":',
      '[1]',
      sse(['{']),
      '<html>busy</html>',
      '',
    ]) {
      expect(parse(dialect, output)).toMatchObject({
        text: '',
        calls: [],
        problems: expect.arrayContaining([expect.objectContaining({ level: 'protocol' })]) as unknown,
      });
    }
  });

  it('reports arguments that are no object, invalid names, and duplicate ids', () => {
    const call = { id: 'call_a', name: 'read_file', args: { path: 'a' } };
    expect(parse(dialect, whole({ text: '', calls: [call, call] }))).toMatchObject({
      calls: [{ id: 'call_a' }],
      problems: [{ call_id: 'call_a', level: 'call' }],
    });
    expect(parse(dialect, whole({ text: '', calls: [{ ...call, name: 'rm -rf /' }] }))).toMatchObject({
      calls: [],
      problems: [{ call_id: 'call_a', message: 'there is no tool `rm -rf /`' }],
    });
    expect(parse(dialect, whole({ text: '', calls: [{ ...call, args: [1] }] }))).toMatchObject({
      calls: [],
      problems: [{ message: 'the arguments of `read_file` must be a JSON object, and are an array' }],
    });
  });

  describe.each(WITH_ARGUMENTS[dialect].map((form, n) => [n + 1, form] as const))(
    'arguments in the place that they have in its form %i',
    (_n, form) => {
      const read = (args: unknown): unknown => {
        const { calls, problems } = parse(dialect, form(args));
        return [
          calls.map((call) => call.args),
          problems.map(({ level, call_id, message }) => [level, call_id, message]),
        ];
      };
      it('are parsed alike as an object and as its text', () => {
        for (const args of [{ command: 'ls' }, { command: { nested: [1, null] } }, {}])
          for (const written of [args, JSON.stringify(args)]) expect(read(written)).toEqual([[args], []]);
      });

      it('are the empty object if there are none', () => {
        for (const none of [undefined, '', ' ']) expect(read(none)).toEqual([[{}], []]);
      });

      it.each([
        ['an array', [1]],
        ['an array', []],
        ['null', null],
        ['a number', 0],
        ['a boolean', false],
      ])('are refused where they are %s, as a value and as text', (kind, args) => {
        for (const written of [args, JSON.stringify(args)])
          expect(read(written)).toEqual([
            [],
            [['call', 'a', `the arguments of \`bash\` must be a JSON object, and are ${kind}`]],
          ]);
      });

      it('are refused as a text within a text', () => {
        expect(read('"{}"')).toEqual([[], [['call', 'a', expect.stringContaining('and are a text')]]]);
      });
    },
  );

  it('passes unknown names on: the kernel refuses and records them', () => {
    expect(
      parse(dialect, whole({ text: '', calls: [{ id: 'a', name: 'kube-get_pods', args: {} }] })).calls,
    ).toMatchObject([{ tool_id: 'kube.get_pods' }]);
  });
});

it('a duplicate argument is refused', () => {
  const body = JSON.stringify({
    choices: [
      {
        message: {
          tool_calls: [{ id: 'a', function: { name: 'bash', arguments: '{"command":"ls","command":"rm"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  });
  expect(parse('openai', body)).toMatchObject({
    calls: [],
    problems: [{ call_id: 'a', message: expect.stringContaining('same key twice') as unknown }],
  });
});

it('a call without an id gets one from its position', () => {
  expect(
    parse('gemini', NATIVE.gemini.whole({ text: '', calls: [{ id: '', name: 'bash', args: { command: 'ls' } }] }))
      .calls,
  ).toMatchObject([{ id: 'call_1' }]);
});

it.each<[string, unknown[], unknown]>([
  ['null before their text', [null, '{"command":', '"ls"}'], [{ command: 'ls' }]],
  ['their text and an object', ['{"command":"ls"}', { command: 'rm' }], []],
  ['two objects', [{ command: 'ls' }, { command: 'rm' }], []],
])('a stream with %s runs one meaning or none', (_what, pieces, args) => {
  const deltas = pieces.map((piece, n) => ({
    delta: {
      tool_calls: [
        {
          index: 0,
          ...(n === 0 ? { id: 'a' } : {}),
          function: { ...(n === 0 ? { name: 'bash' } : {}), arguments: piece },
        },
      ],
    },
  }));
  const { calls, problems } = parse(
    'openai',
    sse([...deltas, { delta: {}, finish_reason: 'tool_calls' }].map((choice) => JSON.stringify({ choices: [choice] }))),
  );
  expect([calls.map((call) => call.args), problems.length]).toEqual([args, calls.length === 0 ? 1 : 0]);
});

it('calls that are no list fail the response', () => {
  const body = JSON.stringify({
    choices: [
      {
        message: { tool_calls: { id: 'a', function: { name: 'bash', arguments: '{}' } } },
        finish_reason: 'tool_calls',
      },
    ],
  });
  expect(parse('openai', body)).toMatchObject({
    calls: [],
    problems: [{ level: 'protocol', message: expect.stringContaining('no list') as unknown }],
  });
});

it('a call in a thought does not run', () => {
  const body = {
    candidates: [
      {
        content: { parts: [{ thought: true, functionCall: { id: 'a', name: 'bash', args: { command: 'ls' } } }] },
        finishReason: 'STOP',
      },
    ],
  };
  expect(parse('gemini', JSON.stringify(body))).toMatchObject({
    calls: [],
    problems: [{ call_id: 'a', message: expect.stringContaining('in a thought') as unknown }],
  });
});

it('thoughts are not shown', () => {
  const body = {
    candidates: [
      { content: { parts: [{ text: 'secret plan', thought: true }, { text: 'Hi' }] }, finishReason: 'STOP' },
    ],
  };
  expect(parse('gemini', JSON.stringify(body)).text).toBe('Hi');
});

describe('names for providers', () => {
  it("are the loop's own for its tools, and dashes for dots elsewhere", () => {
    expect(['shell.run', 'fs.read', 'fs.write', 'fs.list', 'kube.get_pods'].map(nativeNameOf)).toEqual([
      'bash',
      'read_file',
      'write_file',
      'list_directory',
      'kube-get_pods',
    ]);
  });

  it("map back to their tools, even if a tenant's tool has the name of an alias", () => {
    for (const id of ['shell.run', 'kube.get_pods', 'kubectl_get', 'bash', 'read_file', 'a.b.c'])
      expect(toolIdOf(nativeNameOf(id))).toBe(id);
    expect(nativeNameOf('bash')).toBe('bash-');
  });
});
