// SPDX-License-Identifier: Apache-2.0
import { PIVOT_GUIDANCE } from '@writ/dialects';
import { newRun } from './run-state.ts';
import { LIMIT_TEXT } from './run-rules.ts';
import { Model, type Message, type ModelCall, type ModelDelta, type ModelTurn } from './model.ts';
import { ModelError } from './model-error.ts';
import { runAgent, type AgentNote, type AgentRun } from './run-agent.ts';
import type { RunEvent, ToolAnswer } from './run-event.ts';
import { TranscriptModel } from './transcript.ts';

const call = (id: string, path = id): ModelCall => ({ id, tool_id: 'fs.read', args: { path } });
const asks = (...ids: string[]): ModelTurn => ({ text: '', calls: ids.map((id) => call(id)), stop: 'tool_use' });
const says = (text: string): ModelTurn => ({ text, calls: [], stop: 'end' });
const done = (text: string): ToolAnswer => ({ text, standing: 'completed', is_error: false });
const failed = (text: string): ToolAnswer => ({ text, standing: 'failed', is_error: true });
const isTold = (role: Message['role']) => (message: Message) => message.role === role;

/** A model whose replies and failures are given; it remembers what it was asked with. */
class ScriptModel extends Model {
  readonly name = 'script';
  readonly seen: (readonly Message[])[] = [];
  readonly #script: (ModelTurn | Error)[];
  constructor(script: (ModelTurn | Error)[]) {
    super();
    this.#script = script;
  }
  override async *reply({ messages }: { messages: readonly Message[] }): AsyncGenerator<ModelDelta, ModelTurn, void> {
    this.seen.push(messages);
    const next = this.#script.shift();
    if (next === undefined) throw new Error('asked too often');
    if (next instanceof Error) throw next;
    if (next.text !== '') yield { kind: 'text', text: next.text };
    return next;
  }
}

function runOf(script: (ModelTurn | Error)[], over: Partial<AgentRun> = {}) {
  const ran: string[] = [];
  const events: RunEvent[] = [];
  const notes: AgentNote[] = [];
  const waits: number[] = [];
  const model = new ScriptModel(script);
  const run: AgentRun = {
    model,
    system: 's',
    tools: [],
    state: newRun([{ role: 'user', text: 'p' }]),
    callTool: (c) => {
      ran.push(c.id);
      return Promise.resolve(done(`read ${c.id}`));
    },
    keep: (event) => {
      events.push(event);
      return Promise.resolve();
    },
    onNote: (note) => notes.push(note),
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    chance: () => 0.5,
    signal: new AbortController().signal,
    ...over,
  };
  return { ran, events, notes, waits, model, outcome: runAgent(run) };
}

describe('the loop', () => {
  it('S5.1: ends after one round when no tool is asked for', async () => {
    const { ran, outcome } = runOf([says('hello')]);
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 1 });
    expect(ran).toEqual([]);
  });

  it('S5.2, S5.6: tells the answers and goes on until the model is done', async () => {
    const { messages, rounds } = await runOf([asks('a'), asks('b'), says('done')]).outcome;
    expect(rounds).toBe(3);
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
  });

  it('S5.3: runs the calls of one turn in their order, and tells all answers at once', async () => {
    const { ran, model, outcome } = runOf([asks('a', 'b', 'c'), says('done')]);
    await outcome;
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(model.seen[1]?.filter(isTold('tool')).map((m) => m.role === 'tool' && m.call_id)).toEqual(['a', 'b', 'c']);
  });

  it('S5.4: a tool that throws is an answer, not the end', async () => {
    const { outcome } = runOf([asks('a'), says('sorry')], {
      callTool: () => Promise.reject(new Error('no such file')),
    });
    expect((await outcome).messages[2]).toEqual({
      role: 'tool',
      call_id: 'a',
      tool_id: 'fs.read',
      ...failed('no such file'),
    });
  });

  it('S5.5: an abort in mid-stream ends it', async () => {
    const abort = new AbortController();
    class Endless extends Model {
      readonly name = 'endless';
      override async *reply(_asked: unknown, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
        for (;;) {
          signal.throwIfAborted();
          yield { kind: 'text', text: '.' };
        }
      }
    }
    const { outcome, notes } = runOf([], {
      model: new Endless(),
      signal: abort.signal,
      onNote: (note) => {
        notes.push(note);
        if (notes.length === 3) abort.abort(new Error('stop'));
      },
    });
    await expect(outcome).rejects.toThrow('stop');
  });

  it('S5.8: an abort reaches the model and the tools, and what runs is waited for', async () => {
    const abort = new AbortController();
    let ended = false;
    const { events, outcome } = runOf([asks('a'), says('done')], {
      signal: abort.signal,
      callTool: (_call, _place, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () =>
            setImmediate(() => {
              ended = true;
              reject(new Error('killed'));
            }),
          );
          abort.abort(new Error('stop'));
        }),
    });
    await expect(outcome).rejects.toThrow('stop');
    expect(ended).toBe(true);
    expect(events.map(({ kind }) => kind)).toEqual(['replied']);
    const early = new AbortController();
    early.abort(new Error('before'));
    await expect(runOf([says('x')], { signal: early.signal }).outcome).rejects.toThrow('before');
  });

  it('S5.7: stops at the limit and says so, but not when the last allowed round ended by itself', async () => {
    const limited = await runOf([asks('a'), asks('b')], { rules: { rounds_max: 2 } }).outcome;
    expect(limited.stopped).toBe('limit');
    expect(limited.messages.at(-1)).toMatchObject({ text: LIMIT_TEXT });
    const ended = await runOf([asks('a'), says('done')], { rules: { rounds_max: 2 } }).outcome;
    expect(ended.stopped).toBe('end');
  });

  it('runs no call of a reply that was cut off, or that the provider held back', async () => {
    for (const stop of ['length', 'refusal'] as const) {
      const { ran, outcome } = runOf([{ text: '', calls: [call('a')], stop }]);
      expect((await outcome).stopped).toBe(stop);
      expect(ran).toEqual([]);
    }
  });

  it('says when a transcript runs out', async () => {
    const model = new TranscriptModel({ v: 1, model: 'm', prompt: 'p', turns: [asks('a')] });
    await expect(runOf([], { model }).outcome).rejects.toThrow('no further turn');
  });
});

describe('calls of one reply', () => {
  const touchesOf = (c: ModelCall) => [{ kind: 'path' as const, name: String(c.args['path']) }];

  it('run at once where they touch nothing in common, and tell their answers in order', async () => {
    const open: string[] = [];
    let most = 0;
    const { outcome } = runOf(
      [
        { text: '', calls: [call('1', 'a/x'), call('2', 'b'), call('3', 'a'), call('4', 'c')], stop: 'tool_use' },
        says('done'),
      ],
      {
        touchesOf,
        callTool: async (c) => {
          if (c.id === '3') expect(open).not.toContain('1');
          open.push(c.id);
          most = Math.max(most, open.length);
          for (let turns = c.id === '1' ? 9 : 3; turns > 0; turns--) await new Promise(setImmediate);
          open.splice(open.indexOf(c.id), 1);
          return done(c.id);
        },
      },
    );
    const { messages } = await outcome;
    expect(most).toBe(3);
    expect(messages.filter(isTold('tool')).map(({ text }) => text)).toEqual(['1', '2', '3', '4']);
  });

  it('run one after another where the dialect says so, or where nobody knows what they touch', async () => {
    for (const over of [{ rules: { order: 'sequence' as const }, touchesOf }, {}]) {
      let open = 0;
      const { outcome } = runOf([asks('a', 'b', 'c'), says('done')], {
        ...over,
        callTool: async () => {
          expect(++open).toBe(1);
          await new Promise(setImmediate);
          open--;
          return done('');
        },
      });
      expect((await outcome).stopped).toBe('end');
    }
  });

  it("are answered without running when they can't be read or repeat an id", async () => {
    const { ran, outcome } = runOf([
      {
        text: '',
        calls: [{ ...call('a'), problem: 'its arguments are no JSON object' }, call('b'), call('b')],
        stop: 'tool_use',
      },
      says('done'),
    ]);
    expect((await outcome).messages.filter(isTold('tool'))).toMatchObject([
      { call_id: 'a', text: 'its arguments are no JSON object', is_error: true },
      { text: 'read b', is_error: false },
      { text: expect.stringContaining('used before'), is_error: true },
    ]);
    expect(ran).toEqual(['b']);
  });

  it("end the turn when one can't be kept, and nothing follows from it", async () => {
    const kept: string[] = [];
    const { model, outcome } = runOf([asks('a', 'b'), says('never')], {
      touchesOf,
      keep: ({ kind }) => {
        if (kind === 'answered') return Promise.reject(new Error('no room'));
        kept.push(kind);
        return Promise.resolve();
      },
    });
    await expect(outcome).rejects.toThrow('no room');
    expect(kept).toEqual(['replied']);
    expect(model.seen.length).toBe(1);
  });
});

describe('while answers are on their way to where they are kept', () => {
  /** Keeps answers when it is told to; remembers what began to be kept. */
  function slowly() {
    const begun: string[] = [];
    const gate = Promise.withResolvers<undefined>();
    const keep = (event: RunEvent): Promise<void> => {
      begun.push(event.kind);
      return event.kind === 'answered' || event.kind === 'held' ? gate.promise : Promise.resolve();
    };
    return { begun, keep, gate };
  }
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
  };

  it('the model is asked with them; of its reply nothing is told or kept, and none of its calls runs', async () => {
    const { begun, keep, gate } = slowly();
    const { ran, model, notes, outcome } = runOf([asks('a'), { ...asks('b'), text: 'I go on.' }, says('done')], {
      keep,
    });
    await settled();
    expect(model.seen[1]?.at(-1)).toMatchObject({ role: 'tool', text: 'read a' });
    expect([begun, ran, notes.map(({ kind }) => kind)]).toEqual([['replied', 'answered'], ['a'], ['event']]);
    gate.resolve(undefined);
    expect((await outcome).stopped).toBe('end');
    expect(notes.flatMap((note) => (note.kind === 'event' ? [note.event.kind] : [note.kind])).slice(0, 4)).toEqual([
      'replied',
      'answered',
      'delta',
      'replied',
    ]);
  });

  it('no other call of the reply runs, and no pause or end is reached', async () => {
    for (const [over, turns] of [
      [{ rules: { order: 'sequence' as const } }, [asks('a', 'b'), says('done')]],
      [{ rules: { rounds_max: 1 } }, [asks('a')]],
      [
        {
          callTool: () =>
            Promise.resolve({ held: { operation_id: 'op_1', waits_for: 'approval' as const, text: 'waits' } }),
        },
        [asks('a')],
      ],
    ] as const) {
      const { keep, gate } = slowly();
      const { ran, model, outcome } = runOf([...turns], { keep, ...over });
      let isOver = false;
      void outcome.then(() => {
        isOver = true;
      });
      await settled();
      expect([isOver, ran.includes('b'), model.seen.length]).toEqual([false, false, 1]);
      gate.resolve(undefined);
      await outcome;
    }
  });

  it('a call waits for those too that came while it waited for others', async () => {
    const gates = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const answers = [...gates];
    const b = Promise.withResolvers<ToolAnswer>();
    const ran: string[] = [];
    const { outcome } = runOf(
      [{ text: '', calls: [call('a', 'x'), call('b', 'y'), call('c', 'x')], stop: 'tool_use' }, says('done')],
      {
        touchesOf: ({ args }) => [{ kind: 'path', name: String(args['path']) }],
        callTool: (c) => {
          ran.push(c.id);
          return c.id === 'b' ? b.promise : Promise.resolve(done(c.id));
        },
        keep: ({ kind }) => (kind === 'answered' ? (answers.shift()?.promise ?? Promise.resolve()) : Promise.resolve()),
      },
    );
    await settled();
    b.resolve(done('b'));
    await settled();
    gates[0]?.resolve(undefined);
    await settled();
    expect(ran).toEqual(['a', 'b']);
    gates[1]?.resolve(undefined);
    expect([(await outcome).stopped, ran]).toEqual(['end', ['a', 'b', 'c']]);
  });

  /** Replies once, and is then silent until it is broken off. */
  class Silent extends Model {
    readonly name = 'silent';
    readonly asked: AbortSignal[] = [];
    override async *reply(_: unknown, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
      this.asked.push(signal);
      if (this.asked.length === 1) return asks('a');
      yield await new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ModelError('unavailable', 'broken off')));
      });
      return says('never');
    }
  }

  it("a model that was asked is broken off where one can't be kept, and asked no more", async () => {
    const { begun, keep, gate } = slowly();
    const model = new Silent();
    const { outcome } = runOf([], { keep, model });
    await settled();
    gate.reject(new Error('the lease was lost'));
    await expect(outcome).rejects.toThrow('the lease was lost');
    expect([model.asked.length, model.asked[1]?.aborted, begun]).toEqual([2, true, ['replied', 'answered']]);
  });

  it('whoever stops the run waits for them', async () => {
    const { begun, keep, gate } = slowly();
    const stop = new AbortController();
    const { outcome } = runOf([], { keep, model: new Silent(), signal: stop.signal });
    await settled();
    let isOver = false;
    void outcome.catch(() => {
      isOver = true;
    });
    stop.abort(new Error('stopped'));
    await settled();
    expect([isOver, begun.at(-1)]).toEqual([false, 'answered']);
    gate.resolve(undefined);
    await expect(outcome).rejects.toThrow('stopped');
  });
});

describe('a call that is held', () => {
  const held = { held: { operation_id: 'op_1', waits_for: 'approval' as const, text: 'waits for an approval' } };

  it('pauses the run; it goes on from its events when somebody has decided', async () => {
    const first = runOf([asks('a', 'b')], { callTool: (c) => Promise.resolve(c.id === 'a' ? held : done('b')) });
    const paused = await first.outcome;
    expect(paused.stopped).toBe('held');
    const again = runOf([says('done')], {
      state: paused.state,
      callTool: (c) => Promise.resolve(done(`decided ${c.id}`)),
    });
    await expect(again.outcome).resolves.toMatchObject({ stopped: 'held' });
  });

  it('explains first in dialects that want it: the explaining reply runs nothing, the decision comes back as a new result', async () => {
    const { ran, model, outcome, events } = runOf(
      [asks('a', 'b'), { text: 'I wait.', calls: [call('x')], stop: 'tool_use' }],
      { rules: { order: 'sequence', on_held: 'explain' }, callTool: () => Promise.resolve(held) },
    );
    const paused = await outcome;
    expect(paused.stopped).toBe('held');
    expect(model.seen[1]?.slice(-2)).toMatchObject([
      { call_id: 'a', standing: 'held' },
      { call_id: 'b', standing: 'queued' },
    ]);
    expect(ran).toEqual([]);
    expect(events.map(({ kind }) => kind)).toEqual(['replied', 'held', 'explained']);
  });
});

describe('guidance', () => {
  it('an unreadable envelope gets one repair, which counts as a round', async () => {
    const broken: ModelTurn = { text: 'x', calls: [], stop: 'end', problems: ['expected exactly one envelope'] };
    const { model, outcome } = runOf([broken, asks('a'), says('done')]);
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 3 });
    expect(model.seen[1]?.at(-1)).toMatchObject({
      role: 'user',
      text: expect.stringContaining('expected exactly one envelope'),
    });
    expect((await runOf([broken, broken]).outcome).stopped).toBe('malformed');
  });

  it('two rounds with only failures bring the pivot guidance, once', async () => {
    const { model, outcome } = runOf([asks('a'), asks('b'), asks('c'), says('done')], {
      rules: { pivot_after: 2 },
      callTool: () => Promise.resolve(failed('no')),
    });
    await outcome;
    const pivots = model.seen.map((messages) => messages.filter((m) => m.text === PIVOT_GUIDANCE).length);
    expect(pivots).toEqual([0, 0, 1, 1]);
  });
});

describe('a model that fails', () => {
  it('is asked again after a jittered wait, and not before the provider says', async () => {
    const { waits, notes, outcome } = runOf([
      new ModelError('overloaded', 'busy'),
      new ModelError('rate_limited', 'slow down', { retryAfterMs: 7_000 }),
      says('done'),
    ]);
    expect((await outcome).stopped).toBe('end');
    expect(waits).toEqual([500, 8_000]);
    expect(notes.flatMap((note) => (note.kind === 'retry' ? [note.error.fault] : []))).toEqual([
      'overloaded',
      'rate_limited',
    ]);
  });

  it('ends the run when asking again is no use', async () => {
    const { waits, outcome } = runOf([new ModelError('unauthorized', 'no such key')]);
    expect(await outcome).toMatchObject({
      stopped: 'model_failed',
      state: { ended: { fault: 'unauthorized', message: 'no such key' } },
    });
    expect(waits).toEqual([]);
  });

  it('ends the run when it fails too often', async () => {
    const { outcome } = runOf(
      Array.from({ length: 3 }, () => new ModelError('interrupted', 'cut')),
      { retry: { retries_max: 2, base_ms: 1, wait_ms_max: 1, retry_after_ms_max: 1 } },
    );
    expect((await outcome).stopped).toBe('model_failed');
  });
});

describe('what a run may use', () => {
  const costly = (turn: ModelTurn): ModelTurn => ({
    ...turn,
    usage: { input_tokens: 900, cached_tokens: 500, output_tokens: 100 },
  });

  it('ends with the reply that passes its tokens or its cost', async () => {
    expect(await runOf([costly(asks('a')), costly(asks('b'))], { rules: { tokens_max: 2_000 } }).outcome).toMatchObject(
      { stopped: 'budget', rounds: 2 },
    );
    const prices = { input: 3_000_000, cached: 300_000, output: 15_000_000 };
    expect(await runOf([costly(asks('a'))], { rules: { prices, cost_max: 2_850 } }).outcome).toMatchObject({
      stopped: 'budget',
      rounds: 1,
    });
  });

  it('a conversation that grows too long is summarised, but for its last rounds', async () => {
    const { model, outcome } = runOf(
      [costly(asks('a')), costly(asks('b')), costly(asks('c')), says('what was done'), says('done')],
      { rules: { context_tokens_max: 100 } },
    );
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 4 });
    const after = model.seen.at(-1)!;
    expect(after[0]).toMatchObject({ role: 'user', text: expect.stringContaining('what was done') });
    expect(after.filter(isTold('tool')).map((m) => m.role === 'tool' && m.call_id)).toEqual(['b', 'c']);
  });

  it('what a summary tells is let go of, and how it went is still known', async () => {
    const long = 'x'.repeat(1_000);
    const failing: Partial<AgentRun> = {
      callTool: () => Promise.resolve(failed(long)),
      rules: { context_tokens_max: 100, pivot_after: 4 },
    };
    const { model, outcome } = runOf(
      [
        costly({ ...asks('a'), text: long }),
        costly(asks('b')),
        costly(asks('c')),
        says('short'),
        costly(asks('d')),
        says('shorter'),
        says('done'),
      ],
      failing,
    );
    const { state } = await outcome;
    expect([state.base, state.rounds.length, state.compacted?.until]).toEqual([[], 5, 2]);
    expect(JSON.stringify(state.rounds.slice(0, 2))).not.toContain('xxx');
    expect(JSON.stringify(state.rounds.slice(2))).toContain(long);
    // Four rounds failed in a row, two of which are summed up.
    expect(model.seen.at(-1)!.at(-1)).toEqual({ role: 'user', text: PIVOT_GUIDANCE });
  });
});
