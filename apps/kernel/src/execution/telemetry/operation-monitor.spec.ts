// SPDX-License-Identifier: Apache-2.0
import { startTelemetry } from '@writ/telemetry';
import { OperationMonitor } from './operation-monitor.ts';

type Line = Readonly<Record<string, unknown>>;

/** With more fields than a monitor uses, none of which may be logged. */
const OPERATION: Parameters<OperationMonitor['ended']>[2] & Readonly<Record<'args_hash' | 'task_class', string>> = {
  operation_id: 'op_1',
  tenant_id: 'ten_1',
  agent_id: 'agt_1',
  tool_id: 'fs.write',
  tool_definition_digest: null,
  state: 'held',
  risk_score: 0.4,
  reasons: [{ code: 'policy.review', message: 'writes to secret/plan.txt' }],
  args_hash: 'sha256:1',
  task_class: 'write',
  lane: 'inline',
  fault_code: null,
  created_at: 1_000,
  updated_at: 3_500,
};

function observed(): {
  readonly monitor: OperationMonitor;
  readonly lines: [Line, string][];
  readonly metrics: () => Promise<string>;
} {
  const telemetry = startTelemetry({ service: 'kernel', version: '0', endpoint: undefined });
  const lines: [Line, string][] = [];
  const logger = {
    info: (line: Line, message: string) => {
      lines.push([line, message]);
    },
  };
  const monitor = new OperationMonitor(
    telemetry.meter,
    logger as unknown as ConstructorParameters<typeof OperationMonitor>[1],
  );
  return {
    monitor,
    lines,
    metrics: async () => {
      const text = await telemetry.metricsText();
      await telemetry.shutdown();
      return text;
    },
  };
}

test('a decision is a line with ids, verdict, risk and codes of reasons, and no text of the call', async () => {
  const { monitor, lines, metrics } = observed();
  monitor.decided(OPERATION);
  const ids = { operation_id: 'op_1', tenant_id: 'ten_1', agent_id: 'agt_1', tool_id: 'fs.write' };
  expect(lines).toEqual([[{ ...ids, verdict: 'held', risk: 0.4, reasons: ['policy.review'] }, 'decided']]);
  expect(await metrics()).toContain('writ_operations_decided_total{verdict="held",tool="fs.write",lane="inline"} 1');
});

test('an end is a line with its outcome, and with the code of its fault where there is one', async () => {
  const { monitor, lines, metrics } = observed();
  monitor.ended('committed', null, OPERATION);
  monitor.ended('rolled_back', 'deadline', OPERATION);
  expect(lines.map(([line, message]) => [message, line['outcome'], line['fault']])).toEqual([
    ['ended', 'committed', undefined],
    ['ended', 'rolled_back', 'deadline'],
  ]);
  const text = await metrics();
  expect(text).toContain('writ_operations_ended_total{outcome="rolled_back",tool="fs.write",lane="inline"} 1');
  expect(text).toContain('writ_operations_faults_total{fault="deadline"} 1');
  expect(text).toContain('writ_operation_duration_seconds_sum{outcome="committed",lane="inline"} 2.5');
  expect(text).toContain('writ_tenant_operations_ended_total{tenant="ten_1",outcome="committed"} 1');
});

test('a decision is timed from its arrival, and a refusal counted by its fault', async () => {
  const { monitor, metrics } = observed();
  monitor.decided({ ...OPERATION, state: 'refused', lane: null, fault_code: 'policy.denied' }, 12);
  const text = await metrics();
  expect(text).toContain('writ_operations_decided_total{verdict="refused",tool="fs.write",lane="none"} 1');
  expect(text).toContain('writ_operation_decision_duration_seconds_sum{verdict="refused"} 0.012');
  expect(text).toContain('writ_operations_faults_total{fault="policy.denied"} 1');
});

test('the waiting time is measured only for a first attempt without an approval', async () => {
  const { monitor, metrics } = observed();
  const call = { lane: 'sandboxed', attempt: 1, approval_id: null, reruns: 0, created_at: 1_000 } as const;
  monitor.redeemed(call, 1_250, 1_300);
  monitor.redeemed({ ...call, attempt: 2 }, 9_000, 9_010);
  monitor.redeemed({ ...call, approval_id: 'apr_1' }, 9_000, 9_010);
  const text = await metrics();
  expect(text).toContain('writ_operation_state_duration_seconds_count{state="admitted",lane="sandboxed"} 1');
  expect(text).toContain('writ_operation_state_duration_seconds_sum{state="admitted",lane="sandboxed"} 0.25');
  expect(text).toContain('writ_operation_state_duration_seconds_count{state="dispatched",lane="sandboxed"} 3');
});

test('an approval is counted by how it was decided, with the time that it waited', async () => {
  const { monitor, metrics } = observed();
  monitor.approvalClosed({ tenant_id: 'ten_1', decision: 'denied', waitedMs: 90_000 });
  const text = await metrics();
  expect(text).toContain('writ_approvals_decided_total{decision="denied"} 1');
  expect(text).toContain('writ_approval_wait_duration_seconds_bucket{decision="denied",le="60"} 0');
  expect(text).toContain('writ_approval_wait_duration_seconds_bucket{decision="denied",le="300"} 1');
  expect(text).toContain('writ_tenant_approvals_decided_total{tenant="ten_1",decision="denied"} 1');
});
