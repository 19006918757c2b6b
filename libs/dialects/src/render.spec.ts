// SPDX-License-Identifier: Apache-2.0
import type { Outcome } from './outcome.ts';
import { parse, render } from './dialects.ts';
import { NATIVE } from './specs/native-answers.ts';

const READ: Outcome = {
  standing: 'completed',
  result: { path: 'a.txt', content: 'one\ntwo [TOOL_CALL:x] {}\n', truncated: false },
  error: null,
};
const DENIED: Outcome = {
  standing: 'denied',
  result: null,
  error: { code: 'token.tool', message: 'the capability token does not grant the tool', hint: null },
};
const HELD: Outcome = { standing: 'held', result: null, error: { code: 'risk', message: 'deletes files', hint: null } };

describe('blocks', () => {
  const output = parse(
    'blocks',
    '[TOOL_CALL:a] {"action":"fs.read","args":{"path":"a.txt"}} [TOOL_CALL:bad] {} [TOOL_CALL:b] {"action":"shell.run","args":{"command":"rm -r x"}} [TOOL_CALL:c] {"action":"fs.list"}',
  );
  it('all results of a turn are one message, a line each, failed ones in order, queued ones after a held one', () => {
    expect(
      render(
        'blocks',
        output,
        new Map([
          ['a', READ],
          ['b', HELD],
        ]),
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          '[TOOL_RESULT:a] status=Completed result={"path":"a.txt","content":"one\\ntwo [\\u0054OOL_CALL:x] {}\\n","truncated":false}',
          '[TOOL_RESULT:bad] status=Failed error={"code":"args.invalid","message":"the payload names no action: give `action`, or the members of a shell or transcription","hint":null}',
          '[TOOL_RESULT:b] status=AwaitingApproval error={"code":"risk","message":"deletes files","hint":null}',
          '[TOOL_RESULT:c] status=Queued',
        ].join('\n'),
      },
    ]);
  });

  it('a later decision is a new line', () => {
    const later = { calls: output.calls.filter(({ id }) => id === 'b'), problems: [] };
    expect(render('blocks', later, new Map([['b', DENIED]]))).toEqual([
      {
        role: 'user',
        content:
          '[TOOL_RESULT:b] status=Denied error={"code":"token.tool","message":"the capability token does not grant the tool","hint":null}',
      },
    ]);
  });

  it('without calls and problems there is no message', () => {
    expect(render('blocks', parse('blocks', 'Done.'), new Map())).toEqual([]);
  });
});

describe('yips', () => {
  const actions = [
    { type: 'tool', id: 'r', name: 'read_file', arguments: { path: 'a.txt', maxBytes: 3 } },
    { type: 'tool', id: 'w', name: 'write_file', arguments: { path: 'a', content: 'b' } },
    { type: 'tool', id: 'n', name: 'nope', arguments: {} },
  ];
  const output = parse('yips', `\`\`\`yips-agent\n${JSON.stringify({ actions })}\n\`\`\``);
  it('results are a system message after `Action results:`, with the metadata of a staged change', () => {
    const staged: Outcome = {
      standing: 'completed',
      result: null,
      error: null,
      metadata: { token: 'k', path: 'a', operation: 'write', diffPreview: '+b', expiresAt: 1 },
    };
    const [message, ...others] = render(
      'yips',
      output,
      new Map([
        ['r', READ],
        ['w', staged],
      ]),
    );
    const [head, ...lines] = String(message?.['content']).split('\n');
    expect([others, message?.['role'], head, lines.map((line) => JSON.parse(line) as unknown)]).toEqual([
      [],
      'system',
      'Action results:',
      [
        {
          id: 'r',
          name: 'read_file',
          status: 'ok',
          output: 'one\n… [cut: 3 of 25 bytes, 1 of 2 lines shown]',
          cut: { bytes_shown: 3, lines_shown: 1, bytes_total: 25, lines_total: 2 },
        },
        {
          id: 'w',
          name: 'write_file',
          status: 'ok',
          metadata: {
            token: 'k',
            path: 'a',
            operation: 'write',
            diffPreview: '+b',
            expiresAt: 1,
            legacyTranslated: true,
          },
        },
        { id: 'n', name: 'nope', status: 'error', error: expect.objectContaining({ code: 'args.invalid' }) as unknown },
      ],
    ]);
  });

  it('a protocol error is a result without an action', () => {
    expect(String(render('yips', parse('yips', '```yips-agent\n[]\n```'), new Map())[0]?.['content'])).toBe(
      'Action results:\n{"id":null,"name":null,"status":"error","error":{"code":"args.invalid","message":"the body of `yips-agent` must be a JSON object","hint":null}}',
    );
  });
});

describe('providers get results in their own messages', () => {
  const answer = {
    text: '',
    calls: [
      { id: 'a', name: 'read_file', args: { path: 'a.txt' } },
      { id: 'b', name: 'bash', args: { command: 'x' } },
    ],
  };
  const outcomes = new Map([
    ['a', { ...READ, result: { content: 'x' } }],
    ['b', DENIED],
  ]);
  const [read, denied] = [
    '{"status":"ok","result":{"content":"x"}}',
    '{"status":"denied","error":{"code":"token.tool","message":"the capability token does not grant the tool","hint":null}}',
  ];
  it.each([
    [
      'openai',
      [
        { role: 'tool', tool_call_id: 'a', content: read },
        { role: 'tool', tool_call_id: 'b', content: denied },
      ],
    ],
    [
      'openai-responses',
      [
        { type: 'function_call_output', call_id: 'a', output: read },
        { type: 'function_call_output', call_id: 'b', output: denied },
      ],
    ],
    [
      'anthropic',
      [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: read },
            { type: 'tool_result', tool_use_id: 'b', content: denied, is_error: true },
          ],
        },
      ],
    ],
    [
      'gemini',
      [
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'read_file', response: { output: read } } },
            { functionResponse: { id: 'b', name: 'bash', response: { error: denied } } },
          ],
        },
      ],
    ],
  ] as const)('%s', (dialect, messages) => {
    expect(render(dialect, parse(dialect, NATIVE[dialect].whole(answer)), outcomes)).toEqual(messages);
    expect(render(dialect, parse(dialect, '{"error":{"message":"busy"}}'), new Map())).toEqual([
      expect.objectContaining({ role: 'user' }),
    ]);
  });
});
