// SPDX-License-Identifier: Apache-2.0
import { currentTrace, startTelemetry } from '@writ/telemetry';
import type { Entry } from '../log/entry.ts';
import { inTracesOf } from './in-traces.ts';

const entry = (traceparent: string | null): Entry => ({
  logId: 'log_x',
  tenantId: 'ten_x',
  recordId: 'rec_x',
  kind: 'tool_call',
  operationId: 'op_x',
  phase: 'outcome',
  payload: new Uint8Array(),
  keyid: '',
  sig: new Uint8Array(),
  recordedAt: 0,
  traceparent,
});
const traceparent = (digit: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

test('inTracesOf runs the work once, whatever the number of traces', async () => {
  const telemetry = startTelemetry({ service: 'ledger', version: '0.1.0' });
  let runs = 0;
  expect(
    await inTracesOf(
      [entry(traceparent('a')), entry(traceparent('b')), entry(null), entry('nonsense')],
      async () => (runs += 1),
    ),
  ).toBe(1);
  expect(currentTrace()).toBeNull();
  await telemetry.shutdown();
});

test('inTracesOf throws the error of the work unchanged', async () => {
  const failed = new Error("the log can't be written");
  await expect(inTracesOf([entry(traceparent('a'))], () => Promise.reject(failed))).rejects.toBe(failed);
});
