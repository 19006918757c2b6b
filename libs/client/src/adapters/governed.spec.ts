// SPDX-License-Identifier: Apache-2.0
import type { Call } from '../calls.ts';
import * as ai from './ai.ts';
import * as anthropic from './anthropic.ts';
import * as claude from './claude-agent.ts';
import { declarationsOf, type GovernedTools } from './governed-tool.ts';
import { governed, type GovernedClient } from './governed.ts';
import * as langchain from './langchain.ts';
import * as agents from './openai-agents.ts';
import * as openai from './openai.ts';

const REFUSAL = { status: 'error', error: { code: 'policy.denied', message: 'not today', hint: 'ask Ann' } };

/** A Writ in memory: one state for all calls, and what was asked. */
class FakeWrit {
  readonly asked: { do: string; tool: string; args: unknown; key: string | undefined }[] = [];
  readonly ran: unknown[] = [];
  state: 'admitted' | 'held' | 'refused' | 'gone' | 'lost' = 'admitted';

  readonly client = {
    call: async (tool: string, args: unknown, options?: { idempotencyKey?: string }) => {
      this.asked.push({ do: 'call', tool, args, key: options?.idempotencyKey });
      return this.#answer();
    },
    perform: async (tool: string, args: object, run: (given: object, context: object) => unknown, options?: object) => {
      this.asked.push({ do: 'perform', tool, args, key: (options as { idempotencyKey?: string }).idempotencyKey });
      const call = this.#answer();
      if (call.outcome !== 'running') return call;
      const result = await run(args, {});
      this.ran.push(args);
      if (this.state === 'lost') throw new Error('no answer to the report');
      return { outcome: 'ok', operationId: 'op_1', toolResult: { result } };
    },
    operations: { get: async () => ({ state: this.state }) },
  } as unknown as GovernedClient;

  #answer(): Call {
    if (this.state === 'gone') throw new Error('Writ does not answer');
    if (this.state === 'held') return { outcome: 'held', operationId: 'op_1', approvalId: 'apr_1' } as Call;
    if (this.state === 'refused')
      return {
        outcome: 'refused',
        operationId: 'op_1',
        code: 'policy.denied',
        hint: 'ask Ann',
        toolResult: REFUSAL,
      } as Call;
    return { outcome: 'running', operationId: 'op_1', awaits: 'caller' } as Call;
  }
}

const PARAMETERS = { type: 'object', properties: { cents: { type: 'integer' } } };
const TOOLS: GovernedTools = {
  refund: {
    toolId: 'billing.refund',
    description: 'Refunds.',
    parameters: PARAMETERS,
    run: ({ cents }) => ({ refunded: cents }),
  },
};
const CALL = { name: 'refund', args: { cents: 5 }, callId: 'call_1' };
const hook = (adapter: claude.ClaudeAdapter, tool_name: string, tool_use_id = 'call_1') =>
  adapter.hooks.PreToolUse[0]!.hooks[0]!(
    { hook_event_name: 'PreToolUse', tool_name, tool_input: { cents: 5 }, tool_use_id },
    tool_use_id,
    { signal: new AbortController().signal },
  );

let writ: FakeWrit;
beforeEach(() => {
  writ = new FakeWrit();
});

describe('the core of adapters', () => {
  it("proposes with the framework's id of the call as the key, for the decision and for the run", async () => {
    const core = governed(writ.client, TOOLS, { scope: 'thread-1' });
    expect(await core.decide(CALL)).toEqual({ outcome: 'admitted', operationId: 'op_1' });
    expect(writ.ran).toEqual([]);
    expect(await core.run(CALL)).toEqual({ outcome: 'ok', operationId: 'op_1', value: { refunded: 5 } });
    const asked = { tool: 'billing.refund', args: { cents: 5 }, key: 'adapter:thread-1:call_1' };
    expect(writ.asked).toEqual([
      { do: 'call', ...asked },
      { do: 'perform', ...asked },
    ]);
  });

  it.each([
    ['a tool that is not listed', { ...CALL, name: 'delete_all' }, 'tool.unlisted'],
    ['a name that every object has', { ...CALL, name: 'constructor' }, 'tool.unlisted'],
    ['a call without an id', { ...CALL, callId: undefined }, 'call.unnamed'],
    ['a call with an empty id', { ...CALL, callId: '' }, 'call.unnamed'],
    ['an id that is no key', { ...CALL, callId: 'call 1' }, 'call.unnamed'],
    ['an id that is too long', { ...CALL, callId: 'c'.repeat(300) }, 'call.unnamed'],
  ])('denies %s, and does not ask Writ', async (_what, call, code) => {
    const core = governed(writ.client, TOOLS);
    expect(await core.decide(call)).toMatchObject({ outcome: 'denied', code });
    expect(await core.run(call)).toMatchObject({ outcome: 'denied', code });
    expect([writ.asked, writ.ran]).toEqual([[], []]);
  });

  it('denies where Writ gives no answer, and says when a call may have taken effect', async () => {
    const core = governed(writ.client, TOOLS);
    writ.state = 'gone';
    expect(await core.decide(CALL)).toMatchObject({ outcome: 'denied', code: 'error' });
    expect(await core.run(CALL)).toMatchObject({ text: expect.stringContaining('did not run') });
    writ.state = 'lost';
    expect(await core.run(CALL)).toMatchObject({ text: expect.stringContaining('not known whether') });
  });

  it('tells the model why a call was refused, with the hint', async () => {
    writ.state = 'refused';
    const text = 'The call was refused and did not run [policy.denied]: not today. ask Ann. (operation op_1)';
    expect(await governed(writ.client, TOOLS).run(CALL)).toMatchObject({ outcome: 'denied', text });
  });

  it('waits until a held call is decided, and no longer than it is told to', async () => {
    const core = governed(writ.client, TOOLS);
    await core.untilDecided('op_1');
    writ.state = 'held';
    await expect(core.untilDecided('op_1', { timeoutMs: 1 })).rejects.toThrow('not decided within 1 ms');
  });
});

it('the declarations of tools name their functions, to be run by their caller', () => {
  expect(declarationsOf(TOOLS)).toEqual([
    { name: 'billing.refund', description: 'Refunds.', category: 'write', mode: 'caller', parameters: PARAMETERS },
  ]);
});

describe('no approval of a framework runs a call that Writ holds or refuses', () => {
  it.each(['held', 'refused', 'gone'] as const)('where it is %s', async (state) => {
    writ.state = state;
    const options = { toolCallId: 'call_1' };
    await expect(ai.governTools(writ.client, TOOLS).tools['refund']!.execute({ cents: 5 }, options)).rejects.toThrow();
    const details = { toolCall: { callId: 'call_1' } };
    const [tool] = agents.governTools(writ.client, TOOLS).tools;
    expect(await tool!.execute({ cents: 5 }, {}, details)).toMatch(/not run/);
    const extra = { _meta: { 'claudecode/toolUseId': 'call_1' } };
    const handler = claude.governTools(writ.client, TOOLS).handlerOf('refund');
    expect(await handler({ cents: 5 }, extra)).toMatchObject({ isError: true });
    const [other] = anthropic.governTools(writ.client, TOOLS).tools;
    await expect(other!.run({ cents: 5 }, { toolUse: { id: 'call_1' } })).rejects.toThrow();
    expect(writ.ran).toEqual([]);
  });
});

describe('the AI SDK', () => {
  const statusOf = (toolName: string) =>
    ai
      .governTools(writ.client, TOOLS)
      .toolApproval({ toolCall: { toolName, input: { cents: 5 }, toolCallId: 'call_1' } });

  it.each([
    ['admitted', { type: 'approved' }],
    ['held', { type: 'user-approval', reason: 'op_1' }],
    ['refused', { type: 'denied', reason: expect.stringContaining('policy.denied') }],
    ['gone', { type: 'denied', reason: expect.stringContaining('did not run') }],
  ] as const)('learns of a call that is %s, and nothing runs', async (state, status) => {
    writ.state = state;
    expect(await statusOf('refund')).toEqual(status);
    expect(writ.ran).toEqual([]);
  });

  it('has a tool denied that is not listed', async () => {
    expect(await statusOf('other')).toMatchObject({ type: 'denied' });
  });
});

describe('the client of OpenAI', () => {
  const called = (id: string) => ({ id, type: 'function', function: { name: 'refund', arguments: '{"cents":5}' } });
  const messages = [{ role: 'user' }, { role: 'assistant', tool_calls: [called('call_1'), called('call_2')] }];

  it('gives each of two equal calls an id of its own', async () => {
    const [tool] = openai.governTools(writ.client, TOOLS).tools;
    const runner = { messages };
    await Promise.all([tool!.function.function('{"cents":5}', runner), tool!.function.function('{"cents":5}', runner)]);
    expect(writ.asked.map(({ key }) => key)).toEqual(['adapter:call_1', 'adapter:call_2']);
  });

  it('denies a call that no message of the model made', async () => {
    const [tool] = openai.governTools(writ.client, TOOLS).tools;
    expect(await tool!.function.function('{"cents":6}', { messages })).toContain('no id');
    expect(writ.ran).toEqual([]);
  });

  it('ends the run for a held call, and answers all calls of the last message later', async () => {
    const { answer } = openai.governTools(writ.client, TOOLS);
    writ.state = 'held';
    await expect(answer(messages)).rejects.toMatchObject({ name: 'CallHeldError', operationId: 'op_1' });
    writ.state = 'admitted';
    expect(await answer(messages)).toEqual(
      ['call_1', 'call_2'].map((id) => ({ role: 'tool', tool_call_id: id, content: '{"refunded":5}' })),
    );
  });

  it('passes arguments on as a text where they are no JSON, for Writ to refuse', async () => {
    const text = { id: 'call_1', function: { name: 'refund', arguments: '{"cents":' } };
    await openai.governTools(writ.client, TOOLS).answer([{ role: 'assistant', tool_calls: [text] }]);
    expect(writ.asked[0]?.args).toBe('{"cents":');
  });
});

describe('LangChain', () => {
  const toolCall = { name: 'refund', args: { cents: 5 }, id: 'call_1' };
  const handler = async (request: object) => (request as { tool: { invoke: () => Promise<string> } }).tool.invoke();

  it('is interrupted as often as the call is still held', async () => {
    const { wrapToolCall } = langchain.governTools(writ.client, TOOLS);
    const interrupts: unknown[] = [];
    const interrupt = (value: unknown): string => {
      interrupts.push(value);
      if (interrupts.length === 2) writ.state = 'admitted';
      return 'approved';
    };
    writ.state = 'held';
    expect(await wrapToolCall({ toolCall, runtime: { interrupt } }, handler)).toBe('{"refunded":5}');
    expect(interrupts).toEqual([{ operation_id: 'op_1' }, { operation_id: 'op_1' }]);
    expect(writ.ran).toHaveLength(1);
  });

  it('never runs a tool that is not listed, nor one without the middleware', async () => {
    const { wrapToolCall, body } = langchain.governTools(writ.client, TOOLS);
    const other = {
      toolCall: { ...toolCall, name: 'other' },
      runtime: {},
      tool: { invoke: () => expect.unreachable() },
    };
    expect(await wrapToolCall(other, handler)).toContain('`other` is not one of those');
    expect(body).toThrow('lacks the middleware');
  });
});

describe('the hook of the Claude Agent SDK', () => {
  it.each([
    ['admitted', 'allow'],
    ['held', 'defer'],
    ['refused', 'deny'],
    ['gone', 'deny'],
  ] as const)('of a call that is %s says: %s', async (state, permissionDecision) => {
    writ.state = state;
    const answer = await hook(claude.governTools(writ.client, TOOLS), 'mcp__writ__refund');
    expect(answer.hookSpecificOutput).toMatchObject({ hookEventName: 'PreToolUse', permissionDecision });
  });

  it.each(['Bash', 'refund', 'mcp__other__refund', 'mcp__writ__', ''])('denies `%s`', async (name) => {
    const answer = await hook(claude.governTools(writ.client, TOOLS), name);
    expect(answer.hookSpecificOutput.permissionDecision).toBe('deny');
    expect(writ.asked).toEqual([]);
  });

  it('blocks the tool where the hook itself fails', () => {
    expect(claude.governTools(writ.client, TOOLS).hooks.PreToolUse[0]).toMatchObject({ onFailure: 'block' });
  });
});
