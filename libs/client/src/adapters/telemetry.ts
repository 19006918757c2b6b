// SPDX-License-Identifier: Apache-2.0
// Spans of calls, by the conventions of OpenTelemetry for generative AI.

/** A span of OpenTelemetry, by what the adapters use of it. */
export interface TelemetrySpan {
  setAttribute(name: string, value: string): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
  end(): void;
}

/** The module `@opentelemetry/api`, by what the adapters use of it. */
export interface Telemetry {
  readonly trace: {
    getTracer(name: string): {
      startActiveSpan<T>(
        name: string,
        options: { attributes: Record<string, string> },
        fn: (span: TelemetrySpan) => T,
      ): T;
    };
    getActiveSpan(): TelemetrySpan | undefined;
  };
}

/** `SpanStatusCode.ERROR` */
const ERROR = 2;

/** The header that joins a request to the trace of the active span. */
export function traceHeaders(telemetry: Telemetry | undefined): Record<string, string> {
  const context = telemetry?.trace.getActiveSpan()?.spanContext();
  // A span that nothing records has an id of zeros.
  if (context === undefined || /^0*$/.test(context.traceId)) return {};
  const flags = (context.traceFlags & 0xff).toString(16).padStart(2, '0');
  return { traceparent: `00-${context.traceId}-${context.spanId}-${flags}` };
}

/** What a span says of the end of a call. */
interface Ended {
  readonly outcome: string;
  readonly operationId: string | null;
  readonly code?: string;
}

/** Does the work of a call within a span `execute_tool {name}`. */
export function inSpan<T extends Ended>(
  telemetry: Telemetry | undefined,
  { name, toolId, callId }: { readonly name: string; readonly toolId: string; readonly callId: string },
  work: () => Promise<T>,
): Promise<T> {
  if (telemetry === undefined) return work();
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': callId,
    'writ.tool_id': toolId,
  };
  return telemetry.trace
    .getTracer('@writ/client')
    .startActiveSpan(`execute_tool ${name}`, { attributes }, async (span) => {
      try {
        const ended = await work();
        span.setAttribute('writ.outcome', ended.outcome);
        if (ended.operationId !== null) span.setAttribute('writ.operation_id', ended.operationId);
        if (ended.code !== undefined) {
          span.setAttribute('error.type', ended.code);
          span.setStatus({ code: ERROR });
        }
        return ended;
      } finally {
        span.end();
      }
    });
}
