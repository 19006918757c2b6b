// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import fc from 'fast-check';
import { Model, type Message, type ModelDelta, type ModelTurn } from './model.ts';
import { ModelError } from './model-error.ts';
import { runAgent, type AgentOutcome } from './run-agent.ts';
import { RunEvent, type ToolAnswer } from './run-event.ts';
import type { RunRules } from './run-rules.ts';
import { applyEvent, foldRun } from './run-state.ts';

const BASE: readonly Message[] = [{ role: 'user', text: 'task' }];
const KILLED = new Error('killed');

/**
 * A model that replies by the length of the conversation, so that a resumed run receives the same replies as the first.
 */
class ScriptModel extends Model {
  readonly name = 'script';
  readonly #turns: readonly ModelTurn[];
  constructor(turns: readonly ModelTurn[]) {
    super();
    this.#turns = turns;
  }
  override async *reply({ messages }: { messages: readonly Message[] }): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const n = messages.filter((message) => message.role === 'assistant').length;
    const turn = this.#turns[n] ?? { text: 'done', calls: [], stop: 'end' };
    if (turn.text !== '') yield { kind: 'text', text: turn.text };
    return turn;
  }
}

interface Plan {
  readonly turns: readonly ModelTurn[];
  readonly rules: Partial<RunRules>;
  /** by position, the outcome of a call; `held` is decided at the next resumption */
  readonly fates: readonly ('done' | 'fails' | 'throws' | 'held')[];
}

/** The world outside the run: its calls stay, whichever attempt proposed them. */
class World {
  readonly kept: RunEvent[] = [];
  readonly effects = new Map<string, number>();
  readonly #decided = new Set<string>();
  readonly #plan: Plan;
  #steps: number;

  constructor(plan: Plan, steps: number) {
    this.#plan = plan;
    this.#steps = steps;
  }

  #live(): void {
    if (this.#steps-- <= 0) throw KILLED;
  }
  revive(): void {
    this.#steps = Number.POSITIVE_INFINITY;
  }
  decideAll(): void {
    for (const key of this.effects.keys()) this.#decided.add(key);
  }

  run(signal: AbortSignal): Promise<AgentOutcome> {
    return runAgent({
      model: new ScriptModel(this.#plan.turns),
      system: '',
      tools: [],
      rules: this.#plan.rules,
      state: foldRun(BASE, this.kept),
      signal,
      touchesOf: (call) => [{ kind: 'path', name: String(call.args['path']) }],
      keep: (event) => this.#keep(event),
      callTool: async (_call, { round, index }) => this.#called(`${round}/${index}`, round * 3 + index),
      wait: () => Promise.resolve(),
      chance: () => 0,
    });
  }

  /** A crash may come before an event is durable, or just after. Some events take longer than a model does. */
  async #keep(event: RunEvent): Promise<void> {
    if (this.kept.length % 3 === 0) await new Promise(setImmediate);
    this.#live();
    this.kept.push(parseMessage(RunEvent, JSON.parse(JSON.stringify(event))));
    await Promise.resolve();
    this.#live();
  }

  async #called(
    key: string,
    n: number,
  ): Promise<ToolAnswer | { held: { operation_id: string; waits_for: 'approval'; text: string } }> {
    this.#live();
    // The idempotency key: the same call proposed again attaches to the first.
    if (!this.effects.has(key)) this.effects.set(key, 0);
    const fate = this.#plan.fates[n % this.#plan.fates.length];
    if (fate === 'held' && !this.#decided.has(key))
      return { held: { operation_id: `op_${key}`, waits_for: 'approval', text: 'waits' } };
    if (this.effects.get(key) === 0) this.effects.set(key, 1);
    await Promise.resolve();
    this.#live();
    if (fate === 'throws') throw new Error(`no ${key}`);
    return fate === 'fails'
      ? { text: `no ${key}`, standing: 'failed', is_error: true }
      : { text: `did ${key}`, standing: 'completed', is_error: false };
  }

  /** Continues until the run ends, through crashes and decisions of a person. */
  async toItsEnd(): Promise<AgentOutcome> {
    for (;;) {
      const outcome = await this.run(new AbortController().signal).catch((error: unknown) => {
        if (error !== KILLED) throw error;
        return null;
      });
      if (outcome === null) {
        this.revive();
        continue;
      }
      if (outcome.stopped !== 'held') return outcome;
      this.decideAll();
      this.kept.push({ kind: 'resumed' });
    }
  }
}

const turn = fc.record({
  text: fc.constantFrom('', 'I look.'),
  calls: fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      tool_id: fc.constant('fs.read'),
      args: fc.record({ path: fc.constantFrom('x', 'y', 'y/z', 'w') }),
    }),
    { maxLength: 4 },
  ),
  stop: fc.constant('tool_use' as const),
});
const plans: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(turn, { maxLength: 5 }),
  rules: fc.record({
    order: fc.constantFrom('sequence' as const, 'disjoint' as const),
    on_held: fc.constantFrom('pause' as const, 'explain' as const),
    pivot_after: fc.constantFrom(null, 2),
    rounds_max: fc.integer({ min: 1, max: 6 }),
  }),
  fates: fc.array(fc.constantFrom('done' as const, 'fails' as const, 'throws' as const, 'held' as const), {
    minLength: 1,
    maxLength: 5,
  }),
});

it('a run that is killed at any step resumes to the same end, and no call has its effect twice', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 0, max: 60 }), async (plan, steps) => {
      const whole = new World(plan, Number.POSITIVE_INFINITY);
      const expected = await whole.toItsEnd();
      const killed = new World(plan, steps);
      const got = await killed.toItsEnd();
      expect(got.stopped).toBe(expected.stopped);
      expect(got.messages).toEqual(expected.messages);
      expect([...killed.effects].sort()).toEqual([...whole.effects].sort());
    }),
    { numRuns: 400 },
  );
});

it('the state is the fold of the events and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const world = new World(plan, Number.POSITIVE_INFINITY);
      const { state } = await world.toItsEnd();
      expect(foldRun(BASE, world.kept)).toEqual(state);
    }),
    { numRuns: 100 },
  );
});

it("an event that can't follow is refused", () => {
  const answer = { text: '', standing: 'completed', is_error: false } as const;
  const one = foldRun(BASE, [
    { kind: 'replied', turn: { text: '', calls: [{ id: 'a', tool_id: 't', args: {} }], stop: 'tool_use' } },
    { kind: 'answered', round: 1, index: 0, answer },
  ]);
  expect(() => applyEvent(one, { kind: 'answered', round: 1, index: 0, answer })).toThrow('call 0 of round 1');
  expect(() => applyEvent(one, { kind: 'answered', round: 2, index: 0, answer })).toThrow('round 2');
  const ended = applyEvent(one, { kind: 'cancelled', by: 'somebody' });
  expect(() => applyEvent(ended, { kind: 'resumed' })).toThrow('after the run ended as cancelled');
  expect(new ModelError('timeout', 'x').fault).toBe('timeout');
});
