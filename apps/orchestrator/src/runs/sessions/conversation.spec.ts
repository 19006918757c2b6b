// SPDX-License-Identifier: Apache-2.0
import type { RunEvent } from '@writ/agent-loop';
import { PIVOT_GUIDANCE } from '@writ/dialects';
import { conversationAfter, textDialectOf } from './conversation.ts';

/** A run of two rounds of which every call failed, and a last word. */
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

it('what Yips told a model in a run is a part of what its session goes on with', async () => {
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
