// SPDX-License-Identifier: Apache-2.0
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { Fault } from '@writ/contract';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { currentTrace, extractTrace, injectTrace, withSpan } from './spans.ts';
import { startTelemetry, type Telemetry } from './start.ts';

const service = { service: 'kernel', version: '0.1.0' };
let telemetry: Telemetry | undefined;
afterEach(() => telemetry?.shutdown());

/** Starts telemetry with spans kept in memory; `ended` returns them. */
function started(): { ended(): Promise<ReturnType<InMemorySpanExporter['getFinishedSpans']>> } {
  // Shutdown empties the exporter, so exported spans are copied on the way.
  const exporter = new InMemorySpanExporter();
  const spans: ReturnType<InMemorySpanExporter['getFinishedSpans']> = [];
  const exported = exporter.export.bind(exporter);
  exporter.export = (batch, done) => {
    spans.push(...batch);
    exported(batch, done);
  };
  telemetry = startTelemetry({ ...service, exporter });
  return {
    ended: async () => {
      await telemetry?.shutdown();
      return spans;
    },
  };
}

test('a span made in another process by the headers of a message is a child of the first', async () => {
  const { ended } = started();
  const headers: Record<string, string> = {};
  await withSpan('proposed', {}, async () => injectTrace(headers));
  expect(headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  await extractTrace(headers, () => withSpan('admitted', { tool_id: 'fs.read' }, async () => {}));
  const [proposed, admitted] = await ended();
  expect(admitted?.spanContext().traceId).toBe(proposed?.spanContext().traceId);
  expect(admitted?.parentSpanContext?.spanId).toBe(proposed?.spanContext().spanId);
  expect(admitted?.attributes).toEqual({ tool_id: 'fs.read' });
});

test('the context survives awaits, and calls at the same time keep theirs apart', async () => {
  started();
  const seen = await Promise.all(
    Array.from({ length: 20 }, () =>
      withSpan('performing', {}, async (span) => {
        await new Promise((resolve) => setImmediate(resolve));
        return currentTrace()?.span_id === span.spanContext().spanId;
      }),
    ),
  );
  expect(seen).toEqual(Array.from({ length: 20 }, () => true));
  expect(currentTrace()).toBeNull();
});

test('a span that fails records the code, and not the message', async () => {
  const { ended } = started();
  await withSpan('redeem', {}, async () => {
    throw new Fault('permit.spent', 'detail that is not for spans');
  }).catch(() => {});
  const [span] = await ended();
  expect(span?.status.message).toBe('permit.spent');
  expect(span?.events).toEqual([]);
});

test('without an exporter trace ids travel all the same', async () => {
  telemetry = startTelemetry(service);
  const headers: Record<string, string> = {};
  const outer = await withSpan('proposed', {}, async () => {
    injectTrace(headers);
    return currentTrace();
  });
  const inner = await extractTrace(headers, () => withSpan('admitted', {}, async () => currentTrace()));
  expect(inner?.trace_id).toBe(outer?.trace_id);
  expect(inner?.span_id).not.toBe(outer?.span_id);
});

test.each(['', 'nonsense', '00-00000000000000000000000000000000-0000000000000000-01'])(
  'a malformed trace header (%s) counts as none',
  (traceparent) => {
    started();
    expect(extractTrace({ traceparent }, () => currentTrace())).toBeNull();
  },
);

test('a line written in a span carries its ids', async () => {
  const chunks: string[] = [];
  telemetry = startTelemetry({ ...service, destination: { write: (chunk: string) => void chunks.push(chunk) } });
  const logger = telemetry.logger();
  const ids = await withSpan('admitted', {}, async () => {
    logger.info('inside');
    return currentTrace();
  });
  logger.info('outside');
  expect(JSON.parse(chunks[0] ?? '')).toMatchObject({ msg: 'inside', ...ids });
  expect(JSON.parse(chunks[1] ?? '')).not.toHaveProperty('trace_id');
});

test('metrics are Prometheus text, with the names of its conventions', async () => {
  telemetry = startTelemetry(service);
  telemetry.meter.counter('writ.operations.decided').add(2, { verdict: 'admitted', tool: 'fs.read', lane: 'inline' });
  telemetry.meter.histogram('writ.bus.handler.duration').record(0.002, { verb: 'admit', outcome: 'ok' });
  const text = await telemetry.metricsText();
  expect(text).toContain(
    '# TYPE writ_operations_decided_total counter\nwrit_operations_decided_total{verdict="admitted",tool="fs.read",lane="inline"} 2',
  );
  expect(text).toContain('writ_bus_handler_duration_seconds_bucket{verb="admit",outcome="ok",le="0.0025"} 1');
  expect(text).toContain('target_info{service_name="kernel"');
});

test('variables that OpenTelemetry would read have no effect, and are restored afterwards', async () => {
  const told = {
    OTEL_SDK_DISABLED: 'true',
    OTEL_METRICS_EXPORTER: 'console',
    OTEL_TRACES_SAMPLER: 'always_off',
    OTEL_RESOURCE_ATTRIBUTES: 'a=b',
    OTEL_NODE_EXPERIMENTAL_SDK_METRICS: 'true',
  };
  Object.assign(process.env, told);
  try {
    const { ended } = started();
    const text = await telemetry!.metricsText();
    expect(text).toContain('process_uptime_seconds');
    expect(text).not.toMatch(/otel_sdk|a="b"/);
    await withSpan('admitted', {}, async () => {});
    expect(await ended()).toHaveLength(1);
    expect(process.env).toMatchObject(told);
  } finally {
    for (const name of Object.keys(told)) Reflect.deleteProperty(process.env, name);
  }
});

test('spans reach a collector at the endpoint, and the end of the process does not lose the last ones', async () => {
  const bodies: Buffer[] = [];
  const collector = createServer((request, response) => {
    request
      .on('data', (chunk: Buffer) => bodies.push(chunk))
      .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  telemetry = startTelemetry({
    ...service,
    endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
  });
  await withSpan('admitted', {}, async () => {});
  await telemetry.shutdown();
  expect(Buffer.concat(bodies).toString()).toContain('admitted');
  collector.close();
});

test('metrics reach a collector only where that is enabled', async () => {
  const asked: string[] = [];
  const collector = createServer((request, response) => {
    asked.push(request.url ?? '');
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  telemetry = startTelemetry({ ...service, endpoint });
  await telemetry.shutdown();
  expect(asked).toEqual([]);
  telemetry = startTelemetry({ ...service, endpoint, pushMetricsMs: 60_000 });
  await telemetry.shutdown();
  expect(asked).toEqual(['/v1/metrics']);
  collector.close();
});

test('a missing collector delays nothing', async () => {
  telemetry = startTelemetry({ ...service, endpoint: 'http://127.0.0.1:1' });
  await withSpan('admitted', {}, async () => {});
  await expect(telemetry.shutdown()).resolves.toBeUndefined();
}, 120_000);
