// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import { PIVOT_GUIDANCE, type TextDialect } from '@writ/dialects';
import fc from 'fast-check';
import { Model, ModelTurn, type Conversation, type Message, type ModelCall, type ModelDelta } from './model.ts';
import { runAgent, type AgentRun } from './run-agent.ts';
import type { RunEvent, ToolAnswer } from './run-event.ts';
import { rulesOf } from './run-rules.ts';
import { foldRun, newRun } from './run-state.ts';
import { TextModel } from './text-model.ts';

/** Replies with the given texts, one per reply, in pieces of that many characters. */
class Speaker extends Model {
  readonly name = 'speaker';
  readonly asked: Conversation[] = [];
  readonly #texts: (string | Partial<ModelTurn>)[];
  readonly #size: number;
  constructor(texts: (string | Partial<ModelTurn>)[], size = 7) {
    super();
    [this.#texts, this.#size] = [[...texts], size];
  }
  override async *reply(asked: Conversation): AsyncGenerator<ModelDelta, ModelTurn, void> {
    this.asked.push(asked);
    const next = this.#texts.shift() ?? 'done';
    const turn: ModelTurn = { text: '', calls: [], stop: 'end', ...(typeof next === 'string' ? { text: next } : next) };
    for (let at = 0; at < turn.text.length; at += this.#size)
      yield { kind: 'text', text: turn.text.slice(at, at + this.#size) };
    return turn;
  }
}

async function received(
  dialect: TextDialect,
  text: string | Partial<ModelTurn>,
  size?: number,
): Promise<{ turn: ModelTurn; said: string; calls: ModelCall[] }> {
  const stream = new TextModel(new Speaker([text], size), dialect).reply(
    { system: '', messages: [], tools: [] },
    new AbortController().signal,
  );
  let said = '';
  const calls: ModelCall[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { turn: parseMessage(ModelTurn, JSON.parse(JSON.stringify(next.value))), said, calls };
    if (next.value.kind === 'text') said += next.value.text;
    else calls.push(next.value.call);
  }
}

const block = (id: string, path: string): string => `[TOOL_CALL:${id}] {"action":"fs.read","args":{"path":"${path}"}}`;
const fence = (actions: object[]): string => `\`\`\`yips-agent\n${JSON.stringify({ actions })}\n\`\`\`\n`;
const read = (id: string, path: string): object => ({ type: 'tool', id, name: 'read_file', arguments: { path } });
const content = (text: string): ToolAnswer => ({
  text,
  standing: 'completed',
  is_error: false,
  outcome: { result: { content: text, truncated: false }, error: null },
});

function runOf(dialect: TextDialect, texts: (string | Partial<ModelTurn>)[], over: Partial<AgentRun> = {}) {
  const model = new Speaker(texts);
  const events: RunEvent[] = [];
  const outcome = runAgent({
    model: new TextModel(model, dialect),
    system: 's',
    tools: [],
    state: newRun([{ role: 'user', text: 'task' }]),
    rules: rulesOf(dialect),
    callTool: (call) => Promise.resolve(content(`of ${String(call.args['path'])}`)),
    keep: (event) => {
      events.push(event);
      return Promise.resolve();
    },
    wait: () => Promise.resolve(),
    chance: () => 0,
    signal: new AbortController().signal,
    ...over,
  });
  return { model, events, outcome };
}
const lastSaid = ({ asked }: Speaker): Message | undefined => asked.at(-1)?.messages.at(-1);

describe('a reply', () => {
  it('is parsed while it streams: people see its text, and calls are canonical', async () => {
    const { turn, said, calls } = await received('blocks', `I look. ${block('a', 'x')} Then on.`);
    expect(turn).toEqual({
      text: 'I look.  Then on.',
      written: `I look. ${block('a', 'x')} Then on.`,
      stop: 'tool_use',
      calls: [{ id: 'a', tool_id: 'fs.read', args: { path: 'x' }, name: 'fs.read' }],
    });
    expect([said, calls]).toEqual([turn.text, turn.calls]);
    expect(
      (
        await received(
          'yips',
          `${fence([read('t1', 'x'), { type: 'tool', id: 't2', name: 'write_file', arguments: { path: 'y', content: '' } }])}`,
        )
      ).turn.calls,
    ).toEqual([
      { id: 't1', tool_id: 'fs.read', args: { path: 'x' }, name: 'read_file' },
      {
        id: 't2',
        tool_id: 'fs.write',
        args: { path: 'y', content: '' },
        name: 'write_file',
        mode: 'stage',
        show: { legacy: true },
      },
    ]);
    expect((await received('tools-xml', '<tools><get_value key="K" reason="why"/></tools>')).turn.calls).toMatchObject([
      { tool_id: 'value.get', name: 'get_value' },
    ]);
  });

  it('is parsed alike, however it is split into pieces', async () => {
    const texts = fc.constantFrom<[TextDialect, string]>(
      ['blocks', `one ${block('a', 'x')}${block('a', 'y')} [TOOL_CALL:b] no [TOOL_CALL:c`],
      ['yips', `text\n${fence([read('a', 'x'), { type: 'tool', id: 'n', name: 'nope' }])}after`],
      ['yips', `${fence([])}${fence([])}`],
      ['tools-xml', 'I do it\n<tools>\n<command>ls</command><nope/>\n</tools>\nend'],
      ['tools-xml', '<tools><command></tools>'],
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), async ([dialect, text], size) => {
        const [whole, cut] = [await received(dialect, text, text.length), await received(dialect, text, size)];
        expect([cut.turn, cut.said]).toEqual([whole.turn, whole.turn.text]);
      }),
    );
  });

  it('counts as the provider joins it, even if it streamed other pieces', async () => {
    class Joined extends Speaker {
      override async *reply(asked: Conversation): AsyncGenerator<ModelDelta, ModelTurn, void> {
        return { ...(yield* super.reply(asked)), text: `first\n${fence([read('a', 'x')])}` };
      }
    }
    const stream = new TextModel(new Joined([`first${fence([read('a', 'x')])}`]), 'yips').reply(
      { system: '', messages: [], tools: [] },
      new AbortController().signal,
    );
    let next = await stream.next();
    while (!next.done) next = await stream.next();
    expect(next.value.calls).toHaveLength(1);
  });

  it('never loses parts silently: a malformed call fails, and an ignored part is a note', async () => {
    const { turn } = await received('blocks', {
      text: `[TOOL_CALL:a] {"action":"x"} [TOOL_CALL:] {} ${block('b', 'y')}`,
      calls: [{ id: 'n', tool_id: 'fs.read', args: {} }],
    });
    expect(turn.calls.map(({ id, problem }) => [id, problem !== undefined])).toEqual([
      ['a', false],
      ['?', true],
      ['b', false],
      ['n', true],
    ]);
    expect((await received('yips', '```yips-agent\n{"assistant_text":"hi","extra":1}\n```')).turn).toMatchObject({
      text: 'hi',
      calls: [],
      notes: [expect.stringContaining('`extra`')],
      stop: 'end',
    });
    expect(
      (await received('yips', '```yips-agent\n{"assistant_text":"hi","extra":1}\n```')).turn.problems,
    ).toBeUndefined();
  });

  it('that was cut off or withheld stops so, whatever it contains', async () => {
    for (const stop of ['length', 'refusal'] as const)
      expect((await received('blocks', { text: block('a', 'x'), stop })).turn.stop).toBe(stop);
  });
});

describe('a conversation', () => {
  it('is sent as it was written, with the answers rendered by the dialect, and offers no tool', async () => {
    const { model, outcome } = runOf('blocks', [`${block('a', 'x')} ${block('a', 'y')}`, 'done'], {
      tools: [{ tool_id: 'fs.read', description: '', parameters: {} }],
    });
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 2 });
    const { messages, tools } = model.asked[1]!;
    expect([tools, messages.map(({ role }) => role), messages[1]?.text]).toEqual([
      [],
      ['user', 'assistant', 'user'],
      `${block('a', 'x')} ${block('a', 'y')}`,
    ]);
    expect(messages[2]?.text.split('\n')).toEqual([
      '[TOOL_RESULT:a] status=Completed result={"content":"of x","truncated":false}',
      expect.stringMatching(/^\[TOOL_RESULT:a\] status=Failed error=.*twice/),
    ]);
  });

  it('has results as system messages in Yips, and as one block in XML', async () => {
    const yips = runOf('yips', [fence([read('t1', 'x'), { type: 'tool', id: 't2', name: 'nope' }]), 'done']);
    await yips.outcome;
    expect(lastSaid(yips.model)).toEqual({
      role: 'system',
      text: expect.stringMatching(
        /^Action results:\n\{"id":"t1","name":"read_file","status":"ok","output":"of x"\}\n\{"id":"t2".*"status":"error"/,
      ),
    });
    const xml = runOf('tools-xml', ['<tools><read><file src="x"/></read><read><file src="y"/></read></tools>', 'done']);
    await xml.outcome;
    expect(lastSaid(xml.model)).toEqual({
      role: 'user',
      text: '<results>\n<read id="t1.1" part="file" status="ok"><output><![CDATA[of x]]></output></read>\n<read id="t2.1" part="file" status="ok"><output><![CDATA[of y]]></output></read>\n</results>',
    });
  });

  it('in Yips answers an action without an id as one without, and an ignored part is a note', async () => {
    const { model, outcome } = runOf('yips', [
      fence([{ type: 'tool', name: 'read_file', arguments: { path: 'x' } }]),
      'done',
    ]);
    await outcome;
    expect(lastSaid(model)?.text).toMatch(/^Action results:\n\{"id":null,"name":"read_file","status":"error"/);
    const noted = runOf('yips', [
      `\`\`\`yips-agent\n${JSON.stringify({ plan: 'x', actions: [{ type: 'tool', id: 't1', name: 'read_file', arguments: { path: 'x' } }] })}\n\`\`\``,
      'done',
    ]);
    await noted.outcome;
    expect(lastSaid(noted.model)?.text).toBe('Note: `yips-agent` has no member `plan`: it is not read');
  });

  it.each([
    ['blocks', 20],
    ['tools-xml', 20],
    ['yips', 6],
  ] as const)('of %s has %i rounds', (dialect, rounds) => {
    expect(rulesOf(dialect).rounds_max).toBe(rounds);
  });

  it('in Yips is repaired once, gets pivot guidance after two failed rounds, ends after six rounds', async () => {
    const { model, outcome } = runOf('yips', [`${fence([])}\n${fence([])}`, 'done']);
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 2 });
    expect(lastSaid(model)?.text).toContain('expected exactly one');
    const fails = runOf(
      'yips',
      Array.from({ length: 9 }, (_none, n) => fence([{ type: 'tool', id: `t${n}`, name: 'nope' }])),
    );
    expect(await fails.outcome).toMatchObject({ stopped: 'limit', rounds: 6 });
    expect(fails.model.asked[1]?.messages.some(({ text }) => text === PIVOT_GUIDANCE)).toBe(false);
    expect(lastSaid({ asked: fails.model.asked.slice(0, 3) } as Speaker)).toEqual({
      role: 'user',
      text: PIVOT_GUIDANCE,
    });
  });

  it('in blocks explains held calls in one reply that runs nothing; the decision is a new result', async () => {
    const texts = [`${block('a', 'x')} ${block('b', 'y')}`, `x must be approved. ${block('c', 'z')}`];
    const ran: string[] = [];
    const held = { held: { operation_id: 'op_1', waits_for: 'approval' as const, text: 'a person has to decide' } };
    const first = runOf('blocks', texts, {
      callTool: (call) => {
        ran.push(call.id);
        return Promise.resolve(held);
      },
    });
    expect((await first.outcome).stopped).toBe('held');
    expect(
      lastSaid(first.model)
        ?.text.split('\n')
        .map((line) => line.slice(0, 46)),
    ).toEqual(['[TOOL_RESULT:a] status=AwaitingApproval error=', '[TOOL_RESULT:b] status=Queued']);
    const state = foldRun([{ role: 'user', text: 'task' }], [...first.events, { kind: 'resumed' }]);
    const second = runOf('blocks', ['done'], {
      state,
      callTool: (call) => {
        ran.push(call.id);
        return Promise.resolve(content(call.id));
      },
    });
    expect((await second.outcome).stopped).toBe('end');
    expect(ran).toEqual(['a', 'a', 'b']);
    const said = second.model.asked[0]!.messages.map(({ role, text }) => [role, text.slice(0, 33)]);
    expect(said.slice(2)).toEqual([
      ['user', '[TOOL_RESULT:a] status=AwaitingAp'],
      ['assistant', 'x must be approved. '],
      ['user', 'Note: no call of that message was'],
      ['user', '[TOOL_RESULT:a] status=Completed '],
    ]);
    expect(second.model.asked[0]!.messages.at(-1)?.text.split('\n')).toHaveLength(2);
  });
});
