// SPDX-License-Identifier: Apache-2.0
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { Outcomes } from './outcomes.ts';

const row = { operation_id: 'op_a' } as OperationRow;

describe('waiting for the end of a call', () => {
  it('resolves for all who wait for this call, and for no one else', async () => {
    const outcomes = new Outcomes(10);
    const news = Promise.all(['op_a', 'op_a', 'op_b'].map((id) => outcomes.wait(id, 50)));
    outcomes.ended({ row, sealedResult: null });
    expect(await news).toEqual([{ row, sealedResult: null }, { row, sealedResult: null }, 'nothing']);
  });

  it('resolves with `elsewhere` where another replica changed it', async () => {
    const outcomes = new Outcomes(10);
    const news = outcomes.wait('op_a', 1_000);
    outcomes.changedElsewhere('op_a');
    expect(await news).toBe('elsewhere');
  });

  it('ends after the given time, and at once where too many wait', async () => {
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
