// SPDX-License-Identifier: Apache-2.0
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Fault, OperationView } from '@writ/contract';
import { faultResult, resultOf } from './call-result.ts';

/** How calls are answered. */
export interface Results {
  /** The answer for an operation, whatever its state is. */
  of(view: OperationView): Promise<CallToolResult>;
  /** The answer for a fault: no operation was decided, or it is unknown whether one was. */
  fault(fault: Fault, operationId: string): CallToolResult;
}

/** Answers in the one shape that all of Writ's tools have. */
export const OWN_RESULTS: Results = { of: (view) => Promise.resolve(resultOf(view)), fault: faultResult };
