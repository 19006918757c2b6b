// SPDX-License-Identifier: Apache-2.0
import type { Operation, RecordPageItem } from '@writ/client/web';
import { stepsOf } from './steps.ts';

const operation = {
  operation_id: 'op_1',
  state: 'committed',
  created_at: 1_000,
  updated_at: 4_000,
  decision_record_id: 'rec_1',
  outcome_record_id: 'rec_3',
  reasons: [{ code: 'write.gated', message: 'writes are held for a person' }],
  provenance: { client: 'an-agent' },
} as unknown as Operation;
const record = (leaf_index: number, rest: Partial<RecordPageItem>): RecordPageItem =>
  ({
    leaf_index,
    recorded_at: 1_000 * leaf_index,
    record_id: `rec_${leaf_index}`,
    type: 'tool_call',
    verdict: null,
    outcome: null,
    fault_code: null,
    ...rest,
  }) as RecordPageItem;

describe('the timeline of a call', () => {
  const held = record(1, { verdict: 'held' });
  const approved = record(2, { type: 'approval' });
  const committed = record(3, { outcome: 'committed' });

  it('has its records in the order of the log, with the reasons at its decision', () => {
    expect(stepsOf(operation, [committed, held, approved])).toMatchObject([
      { title: 'Proposed', texts: ['an-agent'] },
      { title: 'Held', texts: ['writes are held for a person'], tone: 'warn', recordId: 'rec_1' },
      { title: 'Decided by a person', recordId: 'rec_2' },
      { title: 'Committed', tone: 'good', recordId: 'rec_3' },
    ]);
  });

  it('ends with the state now where no record says it yet', () => {
    const running = { ...operation, state: 'dispatched', outcome_record_id: null } as Operation;
    expect(stepsOf(running, [record(1, { verdict: 'admitted' })]).at(-1)).toMatchObject({
      title: 'Dispatched',
      recordId: null,
    });
    expect(stepsOf({ ...running, state: 'held' }, [held])).toHaveLength(2);
  });
});
