// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { TracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { declarationsOf, governed, Writ, type GovernedTools } from '@writ/client';
import { STATES } from '@writ/contract';
import { eventually, makeWorld, Observer, startStack, verifiedReceipt, type Stack, type World } from '@writ/stack';
import { Collector, type ExportedSpan } from './collector.ts';
import { parsePrometheus } from './prometheus.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROCESSES = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;
/** A marker in every argument, output and file of this test, for the search afterwards. */
const SECRET = 'xyzzy-plugh-4711';

let collector: Collector;
let stack: Stack;
let world: World;

beforeAll(async () => {
  collector = await Collector.start();
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    WRIT_LOG_LEVEL: 'trace',
  };
  stack = await startStack({ env: { orchestrator: traced, kernel: traced, executor: traced, ledger: traced } });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});
afterAll(async () => {
  await stack?.stop();
  await collector?.stop();
});

/** Spans whose parent is missing (so far). */
const orphans = (spans: readonly ExportedSpan[]): ExportedSpan[] => {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId));
};

/**
 * The spans of the trace in the operation's record, once every process has exported: all of these states, and the
 * parent of every span. A span is exported when it ends, a parent after its children and perhaps in a later batch. So a
 * trace with all states may still lack a parent.
 */
async function traceOf(
  operationId: string,
  states: readonly string[] = [],
): Promise<{ traceId: string; spans: ExportedSpan[] }> {
  const { record } = await verifiedReceipt(stack, world, operationId);
  const traceId = record.trace_id!;
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  const all = (): ExportedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  const reported = (spans: readonly ExportedSpan[]): string =>
    JSON.stringify(spans.map(({ service, name }) => `${service}: ${name}`));
  await eventually(
    `spans of four processes in ${traceId}`,
    () =>
      Promise.resolve(
        PROCESSES.every((process) => all().some(({ service }) => service === process)) &&
          states.every((state) => all().some(({ name }) => name === state)) &&
          orphans(all()).length === 0,
      ),
    20_000,
  ).catch(() => {
    throw new Error(`the trace has spans of ${reported(all())} only, and no parents of ${reported(orphans(all()))}`);
  });
  return { traceId, spans: all() };
}

it.each([
  [
    'inline',
    'fs.write',
    { path: `${SECRET}.txt`, content: SECRET },
    ['proposed', 'admitted', 'dispatched', 'performing', 'performed', 'committed'],
  ],
  [
    'sandboxed',
    'shell.run',
    { command: `echo ${SECRET} | tee out.txt` },
    ['proposed', 'admitted', 'dispatched', 'performing', 'performed', 'committed'],
  ],
] as const)(
  'one %s call is one trace over four processes, with a span for each state it went through',
  async (_lane, tool, args, states) => {
    const { body } = await world.call(tool, args);
    expect(body.tx_outcome).toBe('committed');
    const { spans } = await traceOf(body.operation_id as string, states);
    const named = new Set(spans.map(({ name }) => name).filter((name) => (STATES as readonly string[]).includes(name)));
    expect([...named].sort()).toEqual([...states].sort());
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === '');
    expect(roots.map(({ service, name }) => `${service}: ${name}`)).toEqual(['orchestrator: proposed']);
  },
);

it('two calls are two traces', async () => {
  const [a, b] = await Promise.all(
    ['1', '2'].map(
      async (name) =>
        (await world.call('fs.write', { path: `${name}.txt`, content: SECRET })).body.operation_id as string,
    ),
  );
  expect((await traceOf(a!)).traceId).not.toBe((await traceOf(b!)).traceId);
});

it("a caller's trace contains the call and is in the record, as the caller stated it", async () => {
  const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  const { body } = await world.agent.post(
    '/v1/tool-calls',
    {
      tool_id: 'fs.read',
      args: { path: 'a.txt' },
      capability_token_id: world.tokenId,
      workspace_id: world.workspaceId,
    },
    { traceparent },
  );
  const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
  expect(record).toMatchObject({ trace_id: 'ab'.repeat(16), operation_id: body.operation_id as string });
});

it("a tool of an agent framework is a span of the agent's trace, and so is its call", async () => {
  const tools: GovernedTools = {
    refund: { toolId: 'billing.refund', description: 'Refunds.', parameters: { type: 'object' }, run: () => SECRET },
  };
  const admin = new Writ({ url: stack.url, apiKey: world.admin.key });
  await admin.tools.apply({ functions: declarationsOf(tools) });
  const grant = { fs: [], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: Date.now() + 3_600_000 };
  const { capability_token_id } = (await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: { ...grant, tools: ['billing.*'] },
  })) as { capability_token_id: string };
  const exporter = new OTLPTraceExporter({ url: `${collector.url}/v1/traces` });
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  trace.setGlobalTracerProvider(provider);
  try {
    const fields = { capability_token_id, max_autonomy: 'autopilot' as const };
    const writ = new Writ({ url: stack.url, apiKey: world.agent.key });
    const core = governed(writ, tools, { fields, telemetry: { trace } });
    const call = { name: 'refund', args: {}, callId: 'call_traced' };
    const { answer, agent } = await trace.getTracer('agent').startActiveSpan('invoke_agent', async (span) => {
      const came = { answer: await core.run(call), agent: span.spanContext() };
      span.end();
      return came;
    });
    expect(answer).toMatchObject({ outcome: 'ok', value: SECRET });
    await provider.forceFlush();
    const operationId = answer.operationId!;
    expect((await verifiedReceipt(stack, world, operationId)).record.trace_id).toBe(agent.traceId);
    const find = (name: string): ExportedSpan | undefined =>
      collector.spans.find((span) => span.traceId === agent.traceId && span.name === name);
    const [tool, proposed] = await eventually('both spans', async () => {
      const found = [find('execute_tool refund'), find('proposed')] as const;
      return found[0] !== undefined && found[1] !== undefined ? ([found[0], found[1]] as const) : null;
    });
    expect([tool.parentSpanId, proposed.parentSpanId]).toEqual([agent.spanId, tool.spanId]);
    for (const value of ['gen_ai.tool.call.id', 'call_traced', 'writ.operation_id', operationId])
      expect(collector.text).toContain(value);
  } finally {
    trace.disable();
    context.disable();
    await provider.shutdown();
  }
});

it('no span and no log contains arguments, results or keys', async () => {
  await world.call('fs.read', { path: `${SECRET}.txt` });
  await world.call('shell.run', { command: `echo ${SECRET}; exit 1` });
  await world.call('shell.run', { command: `cat ${SECRET}`, cwd: `../${SECRET}` });
  await world.call('no.such_tool', { secret: SECRET });
  await world.agent.request('POST', '/v1/tool-calls', `{"args":{"path":"${SECRET}"`, {
    'content-type': 'application/json',
  });
  await world.agent.post('/v1/tool-calls', { args: { [SECRET]: 1 }, [SECRET]: SECRET });
  const { body } = await world.call('shell.run', { command: `rm -rf ${SECRET}` });
  expect(body.state).toBe('held');
  await world.operator.must(`/v1/approvals/${body.approval_id as string}/deny`, { comment: SECRET });
  const observer = new Observer(stack);
  await observer.untilLogged();
  const reported = [
    ...PROCESSES.map((name) => ({ what: `log of ${name}`, text: logOf(name) })),
    { what: 'spans', text: collector.text },
  ];
  for (const { what, text } of reported) {
    expect({ what, isThere: text.length > 0 }).toEqual({ what, isThere: true });
    for (const secret of [SECRET, world.admin.key!, world.agent.key!, stack.keys.platformKey, 'password-of-'])
      expect({ what, secret, leaks: text.includes(secret) }).toEqual({ what, secret, leaks: false });
  }
});

const logOf = (name: string): string =>
  readdirSync(stack.folder)
    .filter((file) => file.startsWith(name) && file.endsWith('.log'))
    .map((file) => readFileSync(join(stack.folder, file), 'utf8'))
    .join('');

it('every line of every log is JSON', () => {
  for (const line of PROCESSES.flatMap((name) => logOf(name).trim().split('\n')))
    expect(() => JSON.parse(line) as unknown).not.toThrow();
});

it.each(PROCESSES)('the metrics of %s are Prometheus text, and count what was done', async (name) => {
  const response = await fetch(`http://127.0.0.1:${stack.services[name].env['WRIT_OPS_PORT']}/metrics`);
  expect([response.status, response.headers.get('content-type')?.startsWith('text/plain')]).toEqual([200, true]);
  const samples = parsePrometheus(await response.text());
  const own = samples.filter(({ family }) => family.startsWith('writ_'));
  expect(own.length).toBeGreaterThan(0);
  expect(own.some(({ value }) => value > 0)).toBe(true);
  // A label with a value for each tenant or operation would make the server's memory grow without limit.
  // WRIT_METRICS_TENANTS_MAX limits that of tenants.
  const unbounded = samples
    .flatMap(({ family, labels }) =>
      Object.entries(labels).filter(([label]) => !(label === 'tenant' && family.startsWith('writ_tenant_'))),
    )
    .filter(([, value]) => /^(ten|op|agt|wsp|cap|rec|key)_[0-9a-z]{26}$/.test(value));
  expect(unbounded).toEqual([]);
});
