// SPDX-License-Identifier: Apache-2.0
import {
  FUNCTION_REPORT,
  redactValue,
  type FaultCode,
  type FunctionOutcome,
  type FunctionPermit,
  type FunctionTool,
  type Id,
  type ReportRequest,
} from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { CHECK_STEPS_MAX, schemaFaults } from '@writ/json-schema';

/** What is wrong with a result, in words for the caller; null for one that fits. */
export type ResultFault = string | null;

/** A result, and the schema that it must fit. */
export interface ClaimedResult {
  readonly result: unknown;
  readonly schema: FunctionTool['result'];
}

/** The first problems suffice, and the message has a bound. */
const NAMED_MAX = 8;

/**
 * Says what is wrong with a result: it must be JSON of bounded size that fits the tool's schema. The text never repeats
 * the result.
 */
export const readResult = (claimed: ClaimedResult): ResultFault => {
  const fault = readResultWithin(claimed, CHECK_STEPS_MAX);
  return fault === undefined ? 'the result takes too long to check against the schema' : fault;
};

/** The same; undefined where the check takes more steps than are allowed: then nothing is known. */
export function readResultWithin({ result, schema }: ClaimedResult, stepsMax: number): ResultFault | undefined {
  let bytes: Uint8Array;
  try {
    bytes = canonicalBytes(result);
  } catch {
    return 'the result is not I-JSON';
  }
  if (bytes.byteLength > FUNCTION_REPORT.resultBytes)
    return `the result takes more than ${FUNCTION_REPORT.resultBytes} bytes`;
  if (schema === null) return null;
  const faults = schemaFaults(schema, result, stepsMax);
  if (faults === null) return undefined;
  const named = faults
    .slice(0, NAMED_MAX)
    .map(({ pointer, message }) => `\`${pointer === '' ? '/' : pointer.slice(0, 128)}\` ${message}`);
  return named.length === 0 ? null : `the result does not fit the tool's schema: ${named.join('; ')}`;
}

/** A result, and pointers to what rules redact of it. */
export interface RedactedResult {
  readonly result: unknown;
  readonly redact: readonly string[];
}

/** The result as it is kept. */
export const redactResult = ({ result, redact }: RedactedResult): unknown => redactValue(result, redact);

/** Stands in place of what a process says about a failure, and of what is wrong with its result. */
const UNSAID = 'the function did not succeed; the policy redacts its result, so its words are not kept';
const UNSAID_FAULT = "the result does not fit the tool's schema; the policy redacts it, so nothing more is said";

/**
 * What is kept of a claim whose result rules redact. INVARIANT (no other way out): its words may repeat a value, and so
 * may the names in what is wrong with its result.
 */
export function redactedClaim(
  claimed: FunctionOutcome,
  fault: ResultFault,
): { readonly claimed: FunctionOutcome; readonly fault: ResultFault } {
  return {
    claimed: claimed.outcome === 'succeeded' ? claimed : { ...claimed, message: UNSAID },
    fault: fault === null ? null : UNSAID_FAULT,
  };
}

/** The credentials of the attempt that a permit and its nonce prove. */
export const credentialsOf = (
  { tenant_id, operation_id, attempt, api_key_id }: FunctionPermit,
  nonce: string,
): Pick<ReportRequest, 'tenant_id' | 'operation_id' | 'attempt' | 'executor_id' | 'nonce'> => ({
  tenant_id,
  operation_id,
  attempt,
  // The column holds whoever runs the attempt: for these lanes the API key.
  executor_id: api_key_id as string as Id<'executor'>,
  nonce,
});

/**
 * What the process claims, as the report of an executor: without a delta, since it can't touch the workspace, and
 * without usage, since nobody counted any.
 */
export function reportOf(
  permit: FunctionPermit,
  nonce: string,
  claimed: FunctionOutcome,
  fault: ResultFault,
): ReportRequest {
  const error = errorOf(claimed, fault);
  const result = claimed.outcome === 'succeeded' && fault === null ? claimed.result : null;
  return {
    v: 1,
    ...credentialsOf(permit, nonce),
    ended: error === null ? 'exited' : 'failed',
    exit_code: null,
    error,
    delta: null,
    delta_ref: null,
    contents: [],
    result,
    result_ref: null,
    result_hash: sha256Hex(canonicalBytes(result)),
    requests: [],
    usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
  };
}

function errorOf(claimed: FunctionOutcome, fault: ResultFault): ReportRequest['error'] {
  const error = (code: FaultCode, message: string) => ({ code, message, hint: null });
  if (claimed.outcome === 'failed') return error('function.failed', claimed.message);
  if (claimed.outcome === 'unknown') return error('effect.ambiguous', claimed.message);
  return fault === null ? null : error('function.result_invalid', fault);
}
