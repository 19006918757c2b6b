// SPDX-License-Identifier: Apache-2.0
import { ModelError, type AgentNote } from '@writ/agent-loop';
import { newId } from '@writ/nest-kit';
import type { RunUpdate, TenantId } from '@writ/contract';
import { RunEventPublisher } from './run-event-publisher.ts';

const RUN = newId('run');
const text = (words: string, round = 1): AgentNote => ({ kind: 'delta', round, delta: { kind: 'text', text: words } });
const asked = (args: Record<string, unknown>): AgentNote => ({
  kind: 'delta',
  round: 1,
  delta: { kind: 'call', call: { id: 'c', tool_id: 'fs.read', args } },
});

function published() {
  const told: RunUpdate[] = [];
  return {
    told,
    publisher: new RunEventPublisher({ tenant_id: newId('tenant') as TenantId, run_id: RUN }, 3, (news) => {
      told.push(news);
    }),
  };
}

test('pieces of text are published as one, in order with other messages, separately for each round', () => {
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

test('text gathered before a stored event is not published after it, and later text is published once', () => {
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

test('a retried request is published, and long arguments are published only with the whole reply', () => {
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
