// SPDX-License-Identifier: Apache-2.0
import { startTelemetry, type Telemetry } from '../start.ts';
import { closedCombinations } from './meter.ts';
import { rowOf } from './table.ts';

let telemetry: Telemetry;
beforeEach(() => {
  telemetry = startTelemetry({ service: 'test', version: '0', tenantsMax: 2 });
});
afterEach(() => telemetry.shutdown());

const linesOf = async (name: string): Promise<string[]> =>
  (await telemetry.metricsText()).split('\n').filter((line) => line.startsWith(name));

test('a counter with few closed labels begins at zero, so that rates include its first increase', async () => {
  telemetry.meter.counter('writ.approvals.decided').add(1, { decision: 'denied' });
  expect(await linesOf('writ_approvals_decided_total')).toEqual([
    'writ_approvals_decided_total{decision="approved"} 0',
    'writ_approvals_decided_total{decision="denied"} 1',
    'writ_approvals_decided_total{decision="expired"} 0',
    'writ_approvals_decided_total{decision="cancelled"} 0',
    'writ_approvals_decided_total{decision="superseded"} 0',
  ]);
  expect(closedCombinations(rowOf('writ.operations.decided'))).toEqual([]);
});

test('tenants beyond the bound are `other`, in any order and for any instrument', async () => {
  const decided = telemetry.meter.counter('writ.tenant.operations.decided');
  for (const tenant of ['ten_a', 'ten_b', 'ten_c', 'ten_d', 'ten_a']) decided.add(1, { tenant, verdict: 'admitted' });
  telemetry.meter.counter('writ.tenant.cost').add(1.5, { tenant: 'ten_e' });
  expect(await linesOf('writ_tenant_operations_decided_total')).toEqual([
    'writ_tenant_operations_decided_total{tenant="ten_a",verdict="admitted"} 2',
    'writ_tenant_operations_decided_total{tenant="ten_b",verdict="admitted"} 1',
    'writ_tenant_operations_decided_total{tenant="other",verdict="admitted"} 2',
  ]);
  expect(await linesOf('writ_tenant_cost_total')).toEqual(['writ_tenant_cost_total{tenant="other"} 1.5']);
});

test('a value that the row does not have is `other`, and a label that it does not have is dropped', async () => {
  const record = telemetry.meter.histogram('http.server.request.duration').record as (
    value: number,
    labels: Record<string, string>,
  ) => void;
  record(0.1, {
    'http.request.method': 'BREW',
    'url.scheme': 'http',
    'http.route': '/v1/tool-calls',
    'http.response.status_code': '4.2',
    tenant: 'ten_a',
  });
  expect(await linesOf('http_server_request_duration_seconds_count')).toEqual([
    'http_server_request_duration_seconds_count{http_request_method="other",url_scheme="http",http_route="/v1/tool-calls",http_response_status_code="other"} 1',
  ]);
});

test('a label with a bound keeps as many distinct values as the bound allows', async () => {
  const requests = telemetry.meter.histogram('gen_ai.client.operation.duration');
  for (let n = 0; n < 150; n += 1)
    requests.record(1, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': `model-${String(n)}`,
    });
  const lines = await linesOf('gen_ai_client_operation_duration_seconds_count');
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toContain('gen_ai_request_model="other"} 50');
});

test('instruments whose observation fails report nothing, and all others report', async () => {
  telemetry.meter.observe(['writ.outbox.records'], async () => {
    throw new Error('the database is away');
  });
  telemetry.meter.observe(['writ.runs.driven'], (observe) => {
    observe('writ.runs.driven', 3);
  });
  expect(await linesOf('writ_outbox_records')).toEqual([]);
  expect(await linesOf('writ_runs_driven')).toEqual(['writ_runs_driven 3']);
});

test('the compiler checks a call site against the row', () => {
  const decided = telemetry.meter.counter('writ.approvals.decided');
  // @ts-expect-error -- a value that the row does not have
  decided.add(1, { decision: 'maybe' });
  // @ts-expect-error -- a label that the row does not have
  decided.add(1, { decision: 'denied', tenant: 'ten_a' });
  // @ts-expect-error -- a label is missing
  decided.add(1);
  // @ts-expect-error -- no row of that name
  expect(() => telemetry.meter.counter('writ.made_up')).toThrow();
});
