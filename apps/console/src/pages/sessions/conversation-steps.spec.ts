// SPDX-License-Identifier: Apache-2.0
import type { RunEvent, RunEventAnsweredAnswer, Run } from '@writ/client/web';
import { stateOf, stepsOf } from './conversation-steps.ts';

const call = (id: string) => ({ id, tool_id: 'fs.write', args: {} });
const replied = (seq: number, ...ids: readonly string[]): RunEvent => ({
  seq,
  at: seq,
  kind: 'replied',
  turn: { text: `reply ${seq}`, calls: ids.map(call), stop: 'tool_use' },
});
const answer = (operation_id: string): RunEventAnsweredAnswer => ({
  text: 'ok',
  standing: 'completed',
  is_error: false,
  operation_id,
});
const answered = (seq: number, round: number, index: number, operationId: string): RunEvent => ({
  seq,
  at: seq,
  kind: 'answered',
  round,
  index,
  answer: answer(operationId),
});
const held = (seq: number, round: number, index: number): RunEvent => ({
  seq,
  at: seq,
  kind: 'held',
  round,
  index,
  held: { operation_id: 'op_h', waits_for: 'approval', text: 'waits' },
});
const run = (state: Run['state']) => ({ state, stopped: null });

describe('the steps of a conversation', () => {
  it('have each call in its reply with its own outcome, though outcomes arrive in another order', () => {
    const steps = stepsOf(
      [replied(1, 'a', 'b'), answered(2, 1, 1, 'op_b'), answered(3, 1, 0, 'op_a'), replied(4, 'c'), held(5, 2, 0)],
      new Map(),
    );
    expect(
      steps.map((step) => (step.kind === 'reply' ? step.calls.map(({ operationId }) => operationId) : step.kind)),
    ).toEqual([['op_a', 'op_b'], ['op_h']]);
  });

  it('show a held call until it is answered', () => {
    const before = stepsOf([replied(1, 'a'), held(2, 1, 0)], new Map());
    const after = stepsOf([replied(1, 'a'), held(2, 1, 0), answered(3, 1, 0, 'op_h')], new Map());
    expect([before, after].map(([step]) => step?.kind === 'reply' && step.calls[0]?.held !== null)).toEqual([
      true,
      false,
    ]);
  });

  it('know the operation of a call that has begun from the stream', () => {
    const [step] = stepsOf([replied(1, 'a')], new Map([['1/0', 'op_s']]));
    expect(step).toMatchObject({ calls: [{ operationId: 'op_s', answer: null }] });
  });
});

describe('the state of a run', () => {
  it.each([
    ['queued', run('queued'), [], false, 'queued'],
    ['running as soon as something is written', run('queued'), [], true, 'running'],
    ['waiting while a call is held', run('running'), [replied(1, 'a'), held(2, 1, 0)], false, 'waiting'],
    [
      'running after the decision',
      run('waiting'),
      [replied(1, 'a'), held(2, 1, 0), { seq: 3, at: 3, kind: 'resumed' }],
      false,
      'running',
    ],
    ['ended by its event', run('running'), [{ seq: 1, at: 1, kind: 'ended', stopped: 'cancelled' }], true, 'ended'],
  ] as const)('is %s', (_name, read, events, isWriting, expected) => {
    expect(stateOf(read, events, isWriting).state).toBe(expected);
  });
});
