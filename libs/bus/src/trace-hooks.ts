// SPDX-License-Identifier: Apache-2.0

/**
 * How the trace context gets into and out of a message's headers. Given by telemetry, so that the port stays free of
 * it.
 */
export interface TraceHooks {
  /** Adds the current trace context to the headers. */
  inject(headers: Record<string, string>): void;
  /** Runs `fn` in the trace context that the headers carry, if any. */
  extract<T>(headers: Readonly<Record<string, string>>, fn: () => T): T;
}

/** Carries no trace context. */
export const noTrace: TraceHooks = { inject: () => {}, extract: (_headers, fn) => fn() };
