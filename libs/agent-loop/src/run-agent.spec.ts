// SPDX-License-Identifier: Apache-2.0
import { PIVOT_GUIDANCE } from '@writ/dialects';
import { LIMIT_TEXT } from './run-rules.ts';
import { Model, type Message, type ModelCall, type ModelDelta, type ModelTurn } from './model.ts';
import { ModelError } from './model-error.ts';
import type { AgentRun } from './run-agent.ts';
import { turnWithCalls, call, completedAnswer, failedAnswer, runOf, turnWithText } from './scripted-run.contract.ts';
import { TranscriptModel } from './transcript.ts';

const isTold = (role: Message['role']) => (message: Message) => message.role === role;

describe('the loop', () => {
  it('S5.1: ends after one round without a call', async () => {
    const { ran, outcome } = runOf([turnWithText('hello')]);
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 1 });
    expect(ran).toEqual([]);
  });

  it('S5.2, S5.6: returns the answers and continues until the model is done', async () => {
    const { messages, rounds } = await runOf([turnWithCalls('a'), turnWithCalls('b'), turnWithText('done')]).outcome;
    expect(rounds).toBe(3);
    expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
  });

  it('S5.3: runs the calls of one turn in their order, and returns all answers at once', async () => {
    const { ran, model, outcome } = runOf([turnWithCalls('a', 'b', 'c'), turnWithText('done')]);
    await outcome;
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(model.seen[1]?.filter(isTold('tool')).map((m) => m.role === 'tool' && m.call_id)).toEqual(['a', 'b', 'c']);
  });

  it('S5.4: an error of a tool is an answer and does not end the run', async () => {
    const { outcome } = runOf([turnWithCalls('a'), turnWithText('sorry')], {
      callTool: () => Promise.reject(new Error('no such file')),
    });
    expect((await outcome).messages[2]).toEqual({
      role: 'tool',
      call_id: 'a',
      tool_id: 'fs.read',
      ...failedAnswer('no such file'),
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

  it('S5.8: an abort reaches the model and the tools, and the run waits for running calls', async () => {
    const abort = new AbortController();
    let ended = false;
    const { events, outcome } = runOf([turnWithCalls('a'), turnWithText('done')], {
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
    await expect(runOf([turnWithText('x')], { signal: early.signal }).outcome).rejects.toThrow('before');
  });

  it('S5.7: stops at the limit and reports it, unless the last allowed round ended by itself', async () => {
    const limited = await runOf([turnWithCalls('a'), turnWithCalls('b')], { rules: { rounds_max: 2 } }).outcome;
    expect(limited.stopped).toBe('limit');
    expect(limited.messages.at(-1)).toMatchObject({ text: LIMIT_TEXT });
    const ended = await runOf([turnWithCalls('a'), turnWithText('done')], { rules: { rounds_max: 2 } }).outcome;
    expect(ended.stopped).toBe('end');
  });

  it('runs no call of a reply that was cut off, or that the provider withheld', async () => {
    for (const stop of ['length', 'refusal'] as const) {
      const { ran, outcome } = runOf([{ text: '', calls: [call('a')], stop }]);
      expect((await outcome).stopped).toBe(stop);
      expect(ran).toEqual([]);
    }
  });

  it('fails when a transcript has no further turn', async () => {
    const model = new TranscriptModel({ v: 1, model: 'm', prompt: 'p', turns: [turnWithCalls('a')] });
    await expect(runOf([], { model }).outcome).rejects.toThrow('no further turn');
  });
});

describe('calls of one reply', () => {
  const touchesOf = (c: ModelCall) => [{ kind: 'path' as const, name: String(c.args['path']) }];

  it('run at once if they touch disjoint resources, and return their answers in order', async () => {
    const open: string[] = [];
    let most = 0;
    const { outcome } = runOf(
      [
        { text: '', calls: [call('1', 'a/x'), call('2', 'b'), call('3', 'a'), call('4', 'c')], stop: 'tool_use' },
        turnWithText('done'),
      ],
      {
        touchesOf,
        callTool: async (c) => {
          if (c.id === '3') expect(open).not.toContain('1');
          open.push(c.id);
          most = Math.max(most, open.length);
          for (let turns = c.id === '1' ? 9 : 3; turns > 0; turns--) await new Promise(setImmediate);
          open.splice(open.indexOf(c.id), 1);
          return completedAnswer(c.id);
        },
      },
    );
    const { messages } = await outcome;
    expect(most).toBe(3);
    expect(messages.filter(isTold('tool')).map(({ text }) => text)).toEqual(['1', '2', '3', '4']);
  });

  it('run one after another if the dialect is sequential, or if their resources are unknown', async () => {
    for (const over of [{ rules: { order: 'sequence' as const }, touchesOf }, {}]) {
      let open = 0;
      const { outcome } = runOf([turnWithCalls('a', 'b', 'c'), turnWithText('done')], {
        ...over,
        callTool: async () => {
          expect(++open).toBe(1);
          await new Promise(setImmediate);
          open--;
          return completedAnswer('');
        },
      });
      expect((await outcome).stopped).toBe('end');
    }
  });

  it("are answered without running when they can't be parsed or repeat an id", async () => {
    const { ran, outcome } = runOf([
      {
        text: '',
        calls: [{ ...call('a'), problem: 'its arguments are no JSON object' }, call('b'), call('b')],
        stop: 'tool_use',
      },
      turnWithText('done'),
    ]);
    expect((await outcome).messages.filter(isTold('tool'))).toMatchObject([
      { call_id: 'a', text: 'its arguments are no JSON object', is_error: true },
      { text: 'read b', is_error: false },
      { text: expect.stringContaining('used before'), is_error: true },
    ]);
    expect(ran).toEqual(['b']);
  });

  it("end the turn when an answer can't be stored, and nothing follows from it", async () => {
    const kept: string[] = [];
    const { model, outcome } = runOf([turnWithCalls('a', 'b'), turnWithText('never')], {
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

describe('a call that is held', () => {
  const held = { held: { operation_id: 'op_1', waits_for: 'approval' as const, text: 'waits for an approval' } };

  it('pauses the run, which continues from its events after the decision', async () => {
    const first = runOf([turnWithCalls('a', 'b')], {
      callTool: (c) => Promise.resolve(c.id === 'a' ? held : completedAnswer('b')),
    });
    const paused = await first.outcome;
    expect(paused.stopped).toBe('held');
    const again = runOf([turnWithText('done')], {
      state: paused.state,
      callTool: (c) => Promise.resolve(completedAnswer(`decided ${c.id}`)),
    });
    await expect(again.outcome).resolves.toMatchObject({ stopped: 'held' });
  });

  it('is explained first if the dialect says so; that reply runs nothing, the decision is a new result', async () => {
    const { ran, model, outcome, events } = runOf(
      [turnWithCalls('a', 'b'), { text: 'I wait.', calls: [call('x')], stop: 'tool_use' }],
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
    const { model, outcome } = runOf([broken, turnWithCalls('a'), turnWithText('done')]);
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 3 });
    expect(model.seen[1]?.at(-1)).toMatchObject({
      role: 'user',
      text: expect.stringContaining('expected exactly one envelope'),
    });
    expect((await runOf([broken, broken]).outcome).stopped).toBe('malformed');
  });

  it('two rounds with only failures bring the pivot guidance, once', async () => {
    const { model, outcome } = runOf(
      [turnWithCalls('a'), turnWithCalls('b'), turnWithCalls('c'), turnWithText('done')],
      { rules: { pivot_after: 2 }, callTool: () => Promise.resolve(failedAnswer('no')) },
    );
    await outcome;
    const pivots = model.seen.map((messages) => messages.filter((m) => m.text === PIVOT_GUIDANCE).length);
    expect(pivots).toEqual([0, 0, 1, 1]);
  });
});

describe('a model that fails', () => {
  it('is retried after a jittered wait, and not before the provider allows', async () => {
    const { waits, notes, outcome } = runOf([
      new ModelError('overloaded', 'busy'),
      new ModelError('rate_limited', 'slow down', { retryAfterMs: 7_000 }),
      turnWithText('done'),
    ]);
    expect((await outcome).stopped).toBe('end');
    expect(waits).toEqual([500, 8_000]);
    expect(notes.flatMap((note) => (note.kind === 'retry' ? [note.error.fault] : []))).toEqual([
      'overloaded',
      'rate_limited',
    ]);
  });

  it('ends the run when a retry is no use', async () => {
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

describe('the limits of a run', () => {
  const costly = (turn: ModelTurn): ModelTurn => ({
    ...turn,
    usage: { input_tokens: 900, cached_tokens: 500, output_tokens: 100 },
  });

  it('end it with the reply that exceeds its tokens or its cost', async () => {
    expect(
      await runOf([costly(turnWithCalls('a')), costly(turnWithCalls('b'))], { rules: { tokens_max: 2_000 } }).outcome,
    ).toMatchObject({ stopped: 'budget', rounds: 2 });
    const prices = { input: 3_000_000, cached: 300_000, output: 15_000_000 };
    expect(await runOf([costly(turnWithCalls('a'))], { rules: { prices, cost_max: 2_850 } }).outcome).toMatchObject({
      stopped: 'budget',
      rounds: 1,
    });
  });

  it('have a conversation summarised that grows too long, except for its last rounds', async () => {
    const { model, outcome } = runOf(
      [
        costly(turnWithCalls('a')),
        costly(turnWithCalls('b')),
        costly(turnWithCalls('c')),
        turnWithText('what was done'),
        turnWithText('done'),
      ],
      { rules: { context_tokens_max: 100 } },
    );
    expect(await outcome).toMatchObject({ stopped: 'end', rounds: 4 });
    const after = model.seen.at(-1)!;
    expect(after[0]).toMatchObject({ role: 'user', text: expect.stringContaining('what was done') });
    expect(after.filter(isTold('tool')).map((m) => m.role === 'tool' && m.call_id)).toEqual(['b', 'c']);
  });

  it('drop the content of summarised rounds, but keep whether their calls failed', async () => {
    const long = 'x'.repeat(1_000);
    const failing: Partial<AgentRun> = {
      callTool: () => Promise.resolve(failedAnswer(long)),
      rules: { context_tokens_max: 100, pivot_after: 4 },
    };
    const { model, outcome } = runOf(
      [
        costly({ ...turnWithCalls('a'), text: long }),
        costly(turnWithCalls('b')),
        costly(turnWithCalls('c')),
        turnWithText('short'),
        costly(turnWithCalls('d')),
        turnWithText('shorter'),
        turnWithText('done'),
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
