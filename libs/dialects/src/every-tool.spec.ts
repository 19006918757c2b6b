// SPDX-License-Identifier: Apache-2.0
import { TOOLS, type Grant, type ToolDefinition } from '@writ/contract';
import { nativeNameOf } from './aliases/native.ts';
import { yipsNameOf } from './aliases/yips.ts';
import { DIALECTS, type Args, type DialectName } from './dialect.ts';
import { fillVariables } from './tools-xml/variables.ts';
import { parse, prompt, render } from './dialects.ts';

const TENANT_TOOL: ToolDefinition = { ...(TOOLS.get('skill.read') as ToolDefinition), tool_id: 'kubectl_get' };
const GRANT: Grant = {
  tools: ['*'],
  fs: [],
  net: [],
  secrets: [],
  resources: ['calendar:*', 'mailbox:*'],
  budgets: {},
  not_before: 0,
  expires_at: 1,
};
const OFFER = {
  tools: [...TOOLS.values(), TENANT_TOOL],
  chain: [GRANT],
  resources: [
    { kind: 'calendar', name: 'default' },
    { kind: 'mailbox', name: 'default' },
    { kind: 'agent', name: 'agt_1' },
  ] as const,
  skills: [{ name: 'release', description: 'How to make a release.' }],
};

const CALLS: readonly (readonly [string, Args])[] = [
  ['task.create', { title: 'a', note: 'b' }],
  ['skill.read', { skill: 'release' }],
  ['value.get', { key: 'NPM_TOKEN', reason: 'to publish' }],
  ['agent.describe', { agent: 'agt_1' }],
  ['agent.manage', { agent: 'agt_1', change: 'cancel' }],
  ['kubectl_get', { skill: 'pods' }],
  ['calendar.find', { range: { start: '2026-06-01T00:00:00Z', end: '2026-06-08T00:00:00Z' } }],
  ['email.find', { subject: 'invoice' }],
  ['email.draft', { to: 'grace@example.com', subject: 'Hello', body: 'Dear Grace' }],
];

interface Written {
  /** what the prompt says about the tool */
  readonly offered: RegExp;
  readonly output: string;
}

const anthropic = (name: string, input: Args): string =>
  JSON.stringify({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c1', name, input }],
    stop_reason: 'tool_use',
  });
const chat = (name: string, args: Args): string =>
  JSON.stringify({
    choices: [
      {
        message: { tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(args) } }] },
        finish_reason: 'tool_calls',
      },
    ],
  });
const responses = (name: string, args: Args): string =>
  JSON.stringify({
    status: 'completed',
    output: [{ type: 'function_call', call_id: 'c1', name, arguments: JSON.stringify(args) }],
  });
const gemini = (name: string, args: Args): string =>
  JSON.stringify({
    candidates: [{ content: { parts: [{ functionCall: { id: 'c1', name, args } }] }, finishReason: 'STOP' }],
  });
const named = (toolId: string): RegExp => new RegExp(`"${nativeNameOf(toolId)}"`);
const yips = (action: object): string =>
  `\`\`\`yips-agent\n${JSON.stringify({ actions: [{ id: 'c1', ...action }] })}\n\`\`\``;

/** How each dialect offers and writes a call. */
const WRITES: Readonly<Record<DialectName, (toolId: string, args: Args) => Written>> = {
  blocks: (tool, args) => ({
    offered: new RegExp(`- ${tool} \\{`),
    output: `[TOOL_CALL:c1] ${JSON.stringify({ action: tool, args })}`,
  }),
  yips: (tool, args) =>
    tool === 'skill.read'
      ? { offered: /- "release"/, output: yips({ type: 'skill', name: args['skill'], arguments: {} }) }
      : {
          offered: new RegExp(`- tool ${yipsNameOf(tool)} \\{`),
          output: yips({ type: 'tool', name: yipsNameOf(tool), arguments: args }),
        },
  'tools-xml': (tool, args) =>
    tool === 'value.get'
      ? { offered: /<get_value key=/, output: '<tools><get_value key="NPM_TOKEN" reason="to publish"/></tools>' }
      : {
          offered: new RegExp(` {2}- ${tool} \\{`),
          output: `<tools><call tool="${tool}"><![CDATA[${JSON.stringify(args)}]]></call></tools>`,
        },
  openai: (tool, args) => ({ offered: named(tool), output: chat(nativeNameOf(tool), args) }),
  'openai-responses': (tool, args) => ({ offered: named(tool), output: responses(nativeNameOf(tool), args) }),
  anthropic: (tool, args) => ({ offered: named(tool), output: anthropic(nativeNameOf(tool), args) }),
  gemini: (tool, args) => ({ offered: named(tool), output: gemini(nativeNameOf(tool), args) }),
};

const CASES = DIALECTS.flatMap((dialect) => CALLS.map(([tool, args]) => [dialect, tool, args] as const));

test.each(CASES)('%s offers %s, parses a call of it, and renders its result', (dialect, tool_id, args) => {
  const { offered, output } = WRITES[dialect](tool_id, args);
  const { system, tools } = prompt(dialect, OFFER);
  expect(`${system}\n${JSON.stringify(tools)}`).toMatch(offered);
  const parsed = parse(dialect, output);
  expect([parsed.problems, parsed.calls.map((call) => [call.tool_id, call.args, call.mode])]).toEqual([
    [],
    [[tool_id, args, 'run']],
  ]);
  const id = parsed.calls[0]?.id ?? '';
  const outcome = { standing: 'completed', result: { content: 'it-worked', value: 'it-worked' }, error: null } as const;
  expect(JSON.stringify(render(dialect, parsed, new Map([[id, outcome]])))).toContain('it-worked');
});

describe('<call>', () => {
  const problems = (inside: string): string[] =>
    parse('tools-xml', `<tools>${inside}</tools>`).problems.map(({ message }) => message);

  it('refers to secrets in arguments that take them, and has variables in others', () => {
    const [call] = parse(
      'tools-xml',
      '<tools><call tool="web.fetch">{"url": "https://$KARYI{HOST}/$$KARYI{A}", "headers": {"X": "$KARYI{KEY} $$KARYI{B}"}}</call></tools>',
    ).calls;
    expect(call?.variables).toEqual(['HOST']);
    expect(fillVariables(call?.args ?? {}, { HOST: 'a.example' })).toEqual({
      url: 'https://a.example/$KARYI{A}',
      headers: { X: '${secret:KEY} $KARYI{B}' },
    });
  });

  it('may leave out the arguments, and names its tool in the result', () => {
    const parsed = parse('tools-xml', '<tools><call tool="task.list"/></tools>');
    expect(parsed.calls).toMatchObject([{ id: 't1', name: 'call task.list', tool_id: 'task.list', args: {} }]);
    expect(render('tools-xml', parsed, new Map())[0]?.['content']).toContain(
      '<call id="t1" tool="task.list" status="queued"/>',
    );
  });

  it.each([
    ['no tool', '<call>{}</call>', /needs the attribute `tool`/],
    ['a name that no tool can have', '<call tool="Rm -rf">{}</call>', /there is no tool `Rm -rf`/],
    ['arguments that are no JSON', '<call tool="task.list">{a}</call>', /arguments of `task.list` are no JSON/],
    ['arguments that are no object', '<call tool="task.list">[1]</call>', /arguments of `task.list` must be an object/],
    ['what names no variable', '<call tool="task.create">{"title": "$KARYI{a}"}</call>', /names no variable/],
    ['an unknown attribute', '<call tool="task.list" x="1"/>', /has no attribute `x`/],
  ])('reports %s', (_what, inside, message) => {
    expect(problems(inside)).toEqual([expect.stringMatching(message)]);
  });
});

test.each([
  ['yips', '"warnings":["`timeoutMs` is'],
  ['blocks', 'warnings=["`timeoutMs` is'],
] as const)('a warning about reduced arguments stands in the result in %s', (dialect, said) => {
  const show = { warnings: ['`timeoutMs` is 100 to 120000: 120000 was used instead of 120001'] };
  const call = { id: 'c', name: 'run_command', tool_id: 'shell.run', args: {}, mode: 'run', show, at: 0 } as const;
  const outcome = { standing: 'completed', result: { output: '' }, error: null } as const;
  expect(String(render(dialect, { calls: [call], problems: [] }, new Map([['c', outcome]]))[0]?.['content'])).toContain(
    said,
  );
});
