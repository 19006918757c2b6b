// SPDX-License-Identifier: Apache-2.0
import { PIVOT_GUIDANCE } from '@writ/dialects';
import { LIMIT_TEXT } from './run-rules.ts';
import { Model, type Message, type ModelCall, type ModelDelta, type ModelTurn } from './model.ts';
import { ModelError } from './model-error.ts';
import type { AgentRun } from './run-agent.ts';
import { asks, call, done, failed, runOf, says } from './scripted-run.contract.ts';
import { TranscriptModel } from './transcript.ts';

const isTold = (role: Message['role']) => (message: Message) => message.role === role;

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
