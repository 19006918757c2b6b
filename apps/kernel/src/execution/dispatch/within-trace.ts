// SPDX-License-Identifier: Apache-2.0
import { extractTrace, withSpan } from '@writ/telemetry';
import type { WithinTrace } from './permit-issuer.ts';

/**
 * Continues the trace of the proposal, so that one trace covers a call from request to receipt, however long it waited.
 */
export const withinTrace: WithinTrace = (traceparent, operationId, run) => {
  const dispatched = (): ReturnType<typeof run> => withSpan('dispatched', { operation_id: operationId }, run);
  return extractTrace(traceparent === null ? {} : { traceparent }, dispatched);
};
