// SPDX-License-Identifier: Apache-2.0
import { Model, type ModelDelta, type ModelTurn } from './model.ts';
import { ModelError } from './model-error.ts';
import type { RunEvent, ToolAnswer } from './run-event.ts';
import { turnWithCalls, call, completedAnswer, runOf, turnWithText } from './scripted-run.contract.ts';

describe('while answers are being stored', () => {
  /** Stores answers when the test lets it; records which it began to store. */
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

  it('the model is sent them; its reply is neither shown nor stored, and none of its calls runs', async () => {
    const { begun, keep, gate } = slowly();
    const { ran, model, notes, outcome } = runOf(
      [turnWithCalls('a'), { ...turnWithCalls('b'), text: 'I go on.' }, turnWithText('done')],
      { keep },
    );
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
      [{ rules: { order: 'sequence' as const } }, [turnWithCalls('a', 'b'), turnWithText('done')]],
      [{ rules: { rounds_max: 1 } }, [turnWithCalls('a')]],
      [
        {
          callTool: () =>
            Promise.resolve({ held: { operation_id: 'op_1', waits_for: 'approval' as const, text: 'waits' } }),
        },
        [turnWithCalls('a')],
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

  it('a call also waits for answers that came while it waited for others', async () => {
    const gates = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const answers = [...gates];
    const b = Promise.withResolvers<ToolAnswer>();
    const ran: string[] = [];
    const { outcome } = runOf(
      [{ text: '', calls: [call('a', 'x'), call('b', 'y'), call('c', 'x')], stop: 'tool_use' }, turnWithText('done')],
      {
        touchesOf: ({ args }) => [{ kind: 'path', name: String(args['path']) }],
        callTool: (c) => {
          ran.push(c.id);
          return c.id === 'b' ? b.promise : Promise.resolve(completedAnswer(c.id));
        },
        keep: ({ kind }) => (kind === 'answered' ? (answers.shift()?.promise ?? Promise.resolve()) : Promise.resolve()),
      },
    );
    await settled();
    b.resolve(completedAnswer('b'));
    await settled();
    gates[0]?.resolve(undefined);
    await settled();
    expect(ran).toEqual(['a', 'b']);
    gates[1]?.resolve(undefined);
    expect([(await outcome).stopped, ran]).toEqual(['end', ['a', 'b', 'c']]);
  });

  /** Replies once, and then never again until it is aborted. */
  class Silent extends Model {
    readonly name = 'silent';
    readonly asked: AbortSignal[] = [];
    override async *reply(_: unknown, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
      this.asked.push(signal);
      if (this.asked.length === 1) return turnWithCalls('a');
      yield await new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ModelError('unavailable', 'broken off')));
      });
      return turnWithText('never');
    }
  }

  it("the request to the model is aborted if one can't be stored, and no other follows", async () => {
    const { begun, keep, gate } = slowly();
    const model = new Silent();
    const { outcome } = runOf([], { keep, model });
    await settled();
    gate.reject(new Error('the lease was lost'));
    await expect(outcome).rejects.toThrow('the lease was lost');
    expect([model.asked.length, model.asked[1]?.aborted, begun]).toEqual([2, true, ['replied', 'answered']]);
  });

  it('stopping the run waits for them', async () => {
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
