// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { startTelemetry, type Telemetry } from '@writ/telemetry';
import { DueLogs } from '../record-index/indexer.ts';
import { watchAppends, watchProgress, watchWitnesses } from './ledger-watch.ts';

let telemetry: Telemetry;
beforeEach(() => {
  telemetry = startTelemetry({ service: 'ledger', version: '0' });
});
afterEach(() => telemetry.shutdown());

const entry = (fault: string | null) => ({
  record_id: 'rec_1',
  leaf_index: fault === null ? 0 : null,
  tree_size: fault === null ? 1 : null,
  fault,
});

test("a batch is timed and counted by its records' results, and a failed one by its fault", async () => {
  const watch = watchAppends(telemetry.meter);
  await watch(3, async () => ({ appended: [entry(null), entry(null), entry('record.invalid')] }));
  await expect(
    watch(2, async () => {
      throw new Fault('ledger.diverged');
    }),
  ).rejects.toThrow(Fault);
  const metrics = await telemetry.metricsText();
  for (const line of [
    'writ_ledger_records_total{result="appended"} 2',
    'writ_ledger_records_total{result="refused"} 1',
    'writ_ledger_append_duration_seconds_count{outcome="ok"} 1',
    'writ_ledger_append_duration_seconds_count{outcome="ledger.diverged"} 1',
    'writ_ledger_append_records_sum 5',
  ])
    expect(metrics).toContain(line);
});

test('answers of witnesses are counted by witness', async () => {
  const observe = watchWitnesses(telemetry.meter);
  observe('w1', 'cosigned');
  observe('w1', 'silent');
  expect(await telemetry.metricsText()).toContain('writ_ledger_witness_answers_total{witness="w1",answer="silent"} 1');
});

test('a log that stays due after a round keeps the time since it was first due', () => {
  const due = new DueLogs();
  expect([due.size, due.oldestAt]).toEqual([0, null]);
  due.add(['a']);
  const since = due.oldestAt;
  expect(due.startRound()).toEqual(['a']);
  expect([due.size, due.oldestAt]).toEqual([0, null]);
  due.add(['a', 'b']);
  expect([due.size, due.oldestAt]).toEqual([2, since]);
});

test('the age of the newest checkpoint and the lag of the index are shown', async () => {
  const now = performance.now();
  watchProgress(telemetry.meter, { signedAt: () => now - 5_000, unindexed: { size: 2, oldestAt: now - 60_000 } });
  const metrics = await telemetry.metricsText();
  expect(metrics).toMatch(/^writ_ledger_checkpoint_age_seconds 5\./m);
  expect(metrics).toMatch(/^writ_ledger_index_lag_seconds 60\./m);
  expect(metrics).toContain('writ_ledger_index_logs 2');
});
