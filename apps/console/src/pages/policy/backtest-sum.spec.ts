// SPDX-License-Identifier: Apache-2.0
import type { BacktestPage } from '@writ/client/web';
import { strictnessOf, sumOf } from './backtest-sum.ts';

const page = (over: Partial<BacktestPage>): BacktestPage => ({
  v: 1,
  tenant_id: 'ten_1',
  kernel_key_id: 'key',
  candidate: { policy_hash: 'a', name: 'team', enforcement: 'enforce' },
  since: 0,
  cursor: null,
  next_cursor: null,
  made_at: 0,
  examined: 0,
  skipped: 0,
  changed: 0,
  changes: [],
  examples: [],
  ...over,
});

describe('the pages of a backtest', () => {
  it('are summed, with the same change of all pages as one, and the milder ones first', () => {
    const stricter = { tool_id: 'fs.read', from: 'autopilot', to: 'no_go' } as const;
    const milder = { tool_id: 'fs.write', from: 'soft_gate', to: 'autopilot' } as const;
    const pages = [
      page({ examined: 3, skipped: 1, changed: 2, changes: [{ ...stricter, count: 2 }] }),
      page({
        examined: 4,
        changed: 2,
        changes: [
          { ...stricter, count: 1 },
          { ...milder, count: 1 },
        ],
      }),
    ];
    expect(sumOf(pages)).toMatchObject({
      examined: 7,
      skipped: 1,
      changed: 4,
      changes: [
        { ...milder, count: 1 },
        { ...stricter, count: 3 },
      ],
    });
  });

  it('without effects and redactions have none that changed', () => {
    expect(sumOf([page({})])).toMatchObject({ effectsChanged: 0, redactionsChanged: 0 });
  });

  it('say which of two decisions is the stricter', () => {
    expect(strictnessOf({ from: 'autopilot', to: 'soft_gate' })).toBeGreaterThan(0);
    expect(strictnessOf({ from: 'no_go', to: 'escalated' })).toBeLessThan(0);
  });
});
