// SPDX-License-Identifier: Apache-2.0
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { Outcomes } from './outcomes.ts';

const row = { operation_id: 'op_a' } as OperationRow;

describe('whoever waits for an end', () => {
  it('hears it, all who wait for it, and nobody else', async () => {
    const outcomes = new Outcomes(10);
    const heard = Promise.all(['op_a', 'op_a', 'op_b'].map((id) => outcomes.wait(id, 50)));
    outcomes.ended({ row, sealedResult: null });
    expect(await heard).toEqual([{ row, sealedResult: null }, { row, sealedResult: null }, 'nothing']);
  });

  it('is told that another replica moved it', async () => {
    const outcomes = new Outcomes(10);
    const heard = outcomes.wait('op_a', 1_000);
    outcomes.changedElsewhere('op_a');
    expect(await heard).toBe('elsewhere');
  });

  it('waits no longer than asked, and not at all in a crowd', async () => {
    const outcomes = new Outcomes(1);
    expect(await outcomes.wait('op_a', 0)).toBe('nothing');
    const first = outcomes.wait('op_a', 20);
    expect(await outcomes.wait('op_b', 60_000)).toBe('nothing');
    expect(await first).toBe('nothing');
    const again = outcomes.wait('op_b', 60_000);
    outcomes.changedElsewhere('op_b');
    expect(await again).toBe('elsewhere');
  });
});
