// SPDX-License-Identifier: Apache-2.0
import { executedBy } from './executed-by.ts';
import { RECORD } from './sample.contract.ts';
import { requireRecord } from './statement.ts';

const execution = { contained: false as const, result: 'claimed' as const, executor: `key_${'0'.repeat(26)}` as const };

test('the outcome of a call that the tenant ran itself says whose claim it is', () => {
  expect(executedBy(requireRecord({ ...RECORD, execution }))).toContain('which Writ did not contain');
  expect(executedBy({ execution })).toContain(execution.executor);
  expect(executedBy({ execution: { ...execution, executor: null } })).toContain("the tenant's own process");
  expect(executedBy(RECORD)).toBeNull();
});

test('no other record says so, and none says more than is known', () => {
  for (const record of [
    { ...RECORD, execution, phase: 'decision' },
    { ...RECORD, execution: { ...execution, contained: true } },
    { ...RECORD, execution: { ...execution, result: 'verified' } },
    { ...RECORD, execution: null },
  ])
    expect(() => requireRecord(record)).toThrow();
});
