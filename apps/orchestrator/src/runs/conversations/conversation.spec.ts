// SPDX-License-Identifier: Apache-2.0
import { LIMIT_TEXT, type RunEvent } from '@writ/agent-loop';
import type { KeptEvent } from '../../store/session-rows/run-events.ts';
import { PIVOT_GUIDANCE } from '@writ/dialects';
import { conversationAfter, textDialectOf } from './conversation.ts';

/** A run of two rounds in which every call failed, with a final text. */
const failing: RunEvent[] = [1, 2].flatMap((round): RunEvent[] => [
  {
    kind: 'replied',
    turn: { text: `try ${round}`, calls: [{ id: `c${round}`, tool_id: 'fs.read', args: {} }], stop: 'tool_use' },
  },
  { kind: 'answered', round, index: 0, answer: { text: 'no', standing: 'failed', is_error: true } },
]);
const RUNS = [
  {
    input: 'do it',
    events: [...failing, { kind: 'replied', turn: { text: 'It stays.', calls: [], stop: 'end' } } as RunEvent],
  },
];
const guided = async (dialect: string): Promise<number> =>
  (await conversationAfter([], RUNS, textDialectOf({ dialect }))).filter(({ text }) => text === PIVOT_GUIDANCE).length;

it("messages that the Yips dialect added in a run are part of the session's conversation", async () => {
  expect(await Promise.all(['yips', 'blocks', 'tools-xml', 'native'].map(guided))).toEqual([1, 0, 0, 0]);
  expect((await conversationAfter([], RUNS, 'yips')).map(({ text }) => text)).toEqual([
    'do it',
    'try 1',
    'no',
    'try 2',
    'no',
    PIVOT_GUIDANCE,
    'It stays.',
  ]);
});

it('the next run of a session is told that the one before reached its limit, and of no other end', async () => {
  const lastAfter = async (stopped: Extract<KeptEvent, { kind: 'ended' }>['stopped']) =>
    (await conversationAfter([], [{ input: 'do it', events: [...failing, { kind: 'ended', stopped }] }], null)).at(-1);
  expect(await lastAfter('limit')).toEqual({ role: 'assistant', text: LIMIT_TEXT, calls: [] });
  expect(await lastAfter('cancelled')).toMatchObject({ role: 'tool', text: 'no' });
});
