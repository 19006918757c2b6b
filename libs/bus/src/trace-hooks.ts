// SPDX-License-Identifier: Apache-2.0

/**
 * How the trace context is written to and read from a message's headers. Telemetry implements it, so the port does not
 * depend on telemetry.
 */
export interface TraceHooks {
  /** Adds the current trace context to the headers. */
  inject(headers: Record<string, string>): void;
  /** Runs `fn` in the trace context that the headers carry, if any. */
  extract<T>(headers: Readonly<Record<string, string>>, fn: () => T): T;
}

/** Carries no trace context. */
export const noTrace: TraceHooks = { inject: () => {}, extract: (_headers, fn) => fn() };
