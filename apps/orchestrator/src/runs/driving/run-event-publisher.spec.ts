// SPDX-License-Identifier: Apache-2.0
import { ModelError, type AgentNote } from '@writ/agent-loop';
import { newId } from '@writ/nest-kit';
import type { RunNews, TenantId } from '@writ/contract';
import { RunEventPublisher } from './run-event-publisher.ts';

const RUN = newId('run');
const text = (words: string, round = 1): AgentNote => ({ kind: 'delta', round, delta: { kind: 'text', text: words } });
const asked = (args: Record<string, unknown>): AgentNote => ({
  kind: 'delta',
  round: 1,
  delta: { kind: 'call', call: { id: 'c', tool_id: 'fs.read', args } },
});

function published() {
  const told: RunNews[] = [];
  return {
    told,
    publisher: new RunEventPublisher({ tenant_id: newId('tenant') as TenantId, run_id: RUN }, 3, (news) => {
      told.push(news);
    }),
  };
}

test("pieces of a text are told as one, in their order among what else streams, and a round's text is its own", () => {
  const { told, publisher: run } = published();
  for (const note of [text('one '), text('two'), asked({ path: 'a' }), text('three'), text('four', 2)])
    run.received(note);
  expect(told).toEqual([]);
  run.end();
  expect(told.map(({ seq, live }) => [seq, live])).toEqual([
    [
      3,
      [
        { event: 'text', data: { round: 1, text: 'one two' } },
        { event: 'asked', data: { round: 1, call: { id: 'c', tool_id: 'fs.read', args: { path: 'a' } } } },
        { event: 'text', data: { round: 1, text: 'three' } },
        { event: 'text', data: { round: 2, text: 'four' } },
      ],
    ],
  ]);
});

test('what was gathered before an event was kept never leaves behind it, and what comes then leaves once', () => {
  const { told, publisher: run } = published();
  run.received(text('one'));
  run.kept(4);
  run.received(text('two', 2));
  run.end();
  run.end();
  expect(told.map(({ seq, live }) => [seq, live.map(({ data }) => data['text'])])).toEqual([
    [4, []],
    [4, ['two']],
  ]);
});

test('a model that is asked again says so, and long arguments are told with the whole reply alone', () => {
  const { told, publisher: run } = published();
  run.received({
    kind: 'retry',
    round: 2,
    failures: 1,
    delay_ms: 70,
    error: new ModelError('overloaded', 'the words of a provider'),
  });
  run.received(asked({ content: 'x'.repeat(16_384) }));
  run.started(2, 0, 'op_1', 'fs.write');
  run.end();
  expect(told[0]!.live).toEqual([
    { event: 'retry', data: { round: 2, failures: 1, delay_ms: 70, fault: 'overloaded' } },
    { event: 'asked', data: { round: 1, call: { id: 'c', tool_id: 'fs.read', args: null } } },
    { event: 'started', data: { round: 2, index: 0, operation_id: 'op_1', tool_id: 'fs.write' } },
  ]);
});
