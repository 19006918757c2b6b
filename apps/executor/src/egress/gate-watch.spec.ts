// SPDX-License-Identifier: Apache-2.0
import { startTelemetry } from '@writ/telemetry';
import { CallGate } from './call-gate.ts';
import { watchGate } from './gate-watch.ts';

test('a request that a token does not grant is counted as token.scope, and one beyond the list as limit.exceeded', async () => {
  const telemetry = startTelemetry({ service: 'executor', version: '0' });
  const gate = new CallGate({
    net: [[]],
    bytesMax: 1_000,
    requestsMax: 1,
    now: () => 0,
    signal: new AbortController().signal,
    confirm: async () => {},
    announce: async () => {},
    preview: null,
    watch: watchGate(telemetry.meter),
    ports: {
      resolve: async () => {
        throw new Error('nothing is asked');
      },
      dial: async () => {
        throw new Error('nothing is reached');
      },
    },
  });
  const target = { scheme: 'http', host: 'a.example', port: 80, path: '/' } as const;
  for (let n = 0; n < 2; n += 1) await expect(gate.admit('GET', target, 'a test')).rejects.toThrow();
  const metrics = await telemetry.metricsText();
  await telemetry.shutdown();
  expect(metrics).toContain('writ_egress_requests_total{decision="refused",fault="token.scope"} 1');
  expect(metrics).toContain('writ_egress_requests_total{decision="refused",fault="limit.exceeded"} 1');
  expect(metrics).toContain('writ_egress_io_bytes_total{direction="sent"} 0');
});
