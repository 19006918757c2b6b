// SPDX-License-Identifier: Apache-2.0
import {
  context,
  propagation,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';

/** The instrumentation scope of all spans; the resource names the process. */
const scope = 'writ';

/** Headers of a message. */
type Headers = Readonly<Record<string, string>>;

/**
 * Runs `fn` in a new span. The span records an error of `fn` by its code and kind, never by its message, and the error
 * is thrown on. Attributes and names come from closed sets: no paths, arguments or texts of users.
 */
export async function withSpan<T>(name: string, attributes: Attributes, fn: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer(scope).startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await fn(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: kindOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Adds the current trace context to headers: `traceparent` and `tracestate` (W3C Trace Context). */
export function injectTrace(headers: Record<string, string>): void {
  propagation.inject(context.active(), headers);
}

/** Runs `fn` in the trace context that the headers carry, if any. A malformed one counts as none. */
export function extractTrace<T>(headers: Headers, fn: () => T): T {
  const extracted: Context = propagation.extract(context.active(), headers);
  return context.with(extracted, fn);
}

/** The trace hooks for a bus. */
export const traceHooks = { inject: injectTrace, extract: extractTrace };

/** Answers whether the current span is recorded: where it isn't, further spans beside it are of no use. */
export function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

/** Ids of the current span, for a record; null outside of one. */
export function currentTrace(): { readonly trace_id: string; readonly span_id: string } | null {
  const current = trace.getActiveSpan()?.spanContext();
  return current === undefined ? null : { trace_id: current.traceId, span_id: current.spanId };
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
