// SPDX-License-Identifier: Apache-2.0
import { startTelemetry } from '@writ/telemetry';
import { OperationMonitor } from './operation-monitor.ts';

type Line = Readonly<Record<string, unknown>>;

const OPERATION = {
  operation_id: 'op_1', tenant_id: 'ten_1', agent_id: 'agt_1', tool_id: 'fs.write', tool_definition_digest: null,
  state: 'held' as const, risk_score: 0.4, reasons: [{ code: 'policy.review', message: 'writes to secret/plan.txt' }],
  args_hash: 'sha256:1', task_class: 'write',
};

function observed(): { readonly monitor: OperationMonitor; readonly lines: [Line, string][]; readonly metrics: () => Promise<string> } {
  const telemetry = startTelemetry({ service: 'kernel', version: '0', endpoint: undefined });
  const lines: [Line, string][] = [];
  const logger = { info: (line: Line, message: string) => { lines.push([line, message]); } };
  const monitor = new OperationMonitor(telemetry.meter, logger as unknown as ConstructorParameters<typeof OperationMonitor>[1]);
  return { monitor, lines, metrics: async () => { const text = await telemetry.metricsText(); await telemetry.shutdown(); return text; } };
}

test('a decision is a line with ids, verdict, risk and codes of reasons, and no word of the call', async () => {
  const { monitor, lines, metrics } = observed();
  monitor.decided(OPERATION);
  const ids = { operation_id: 'op_1', tenant_id: 'ten_1', agent_id: 'agt_1', tool_id: 'fs.write' };
  expect(lines).toEqual([[{ ...ids, verdict: 'held', risk: 0.4, reasons: ['policy.review'] }, 'decided']]);
  expect(await metrics()).toContain('writ_operations_total{verdict="held",tool="fs.write"} 1');
});

test('an end is a line with its outcome, and with the code of its fault where there is one', async () => {
  const { monitor, lines, metrics } = observed();
  monitor.ended('committed', null, OPERATION);
  monitor.ended('rolled_back', 'deadline', OPERATION);
  expect(lines.map(([line, message]) => [message, line['outcome'], line['fault']])).toEqual([
    ['ended', 'committed', undefined], ['ended', 'rolled_back', 'deadline'],
  ]);
  expect(await metrics()).toContain('writ_operations_total{outcome="rolled_back",tool="fs.write"} 1');
});
