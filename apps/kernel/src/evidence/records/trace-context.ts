// SPDX-License-Identifier: Apache-2.0

/** Ids of a W3C trace context as a record carries them. */
export interface TraceIds {
  readonly trace_id: string | null;
  readonly span_id: string | null;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header, version 00; an all-zero id is invalid there. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Reads the ids of a `traceparent`; nulls for none or one that isn't valid: a bad header must not cost a call. */
export function traceIdsOf(traceparent: string | null): TraceIds {
  const match = traceparent === null ? null : TRACEPARENT.exec(traceparent);
  return { trace_id: match?.[1] ?? null, span_id: match?.[2] ?? null };
}
