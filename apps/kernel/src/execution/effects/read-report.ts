// SPDX-License-Identifier: Apache-2.0
//
// An executor's report comes from a container that may lie. Everything here is attacker-controlled: malformed input
// ends the call as `effect.invalid`, and never this process. The time that these functions take grows with the input:
// `ReportReader` decides where they run.
import {
  EgressRequest,
  Fault,
  isRedacted,
  LIMITS,
  parseMessage,
  topOf,
  type Delta,
  type ToolDefinition,
} from '@writ/contract';
import { canonicalBytes, effectDigest, JsonError, parseIJson } from '@writ/digest';
import { parseDelta } from '@writ/workspace';
import { Type } from 'typebox';
import { requestsOf, type OutcomeRequests } from '../outcomes/outcome-requests.ts';
import { jsonOf, writeInPieces, type DeltaPieces } from './delta-pieces.ts';

/** A delta as it was reported, with the other fields that its effect's digest covers. */
export interface ReportedDelta {
  /** as bytes, or by value */
  readonly delta: Uint8Array | { readonly value: unknown };
  readonly snapshot: string;
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'mutating'>;
  readonly exit_status: number | null;
  readonly result_hash: string;
  readonly requests: OutcomeRequests['list'];
}

/** A delta that is well-formed and within its limits. */
export interface DeltaRead extends DeltaPieces {
  /** of the effect */
  readonly digest: string;
}

/** Reads a delta. @throws Fault `effect.invalid`, `limit.exceeded` */
export function readDelta({ delta, ...context }: ReportedDelta): DeltaRead {
  const { base, changes } = parsedDelta(delta instanceof Uint8Array ? jsonOf(delta) : delta.value, context);
  const { exit_status, result_hash, requests } = context;
  const digest = effectDigest({
    changes: changes.map(({ path, before, after }) => ({ path, before, after })),
    exit_status,
    result_hash,
    requests,
  });
  return { ...writeInPieces(base, changes), digest };
}

function parsedDelta(value: unknown, { snapshot, tool }: Pick<ReportedDelta, 'snapshot' | 'tool'>): Delta {
  verifyCount((value as { readonly changes?: unknown } | null)?.changes);
  const delta = parseDelta(value);
  if (delta.base !== snapshot) {
    throw new Fault('effect.invalid', 'the effect is of another snapshot than the attempt ran on');
  }
  verifyDeltaBytes(delta);
  if (!tool.mutating && delta.changes.length > 0) {
    throw new Fault('effect.invalid', `\`${tool.tool_id}\` only reads, and its attempt changed files`);
  }
  return delta;
}

/** Checked before any change is parsed: for a million malformed changes, a thread would hold a million errors. */
function verifyCount(changes: unknown): void {
  const { deltaChanges } = LIMITS;
  if (!Array.isArray(changes) || changes.length <= deltaChanges.max) return;
  throw new Fault(deltaChanges.fault, `a call may change at most ${deltaChanges.max} files`);
}

function verifyDeltaBytes({ changes }: Delta): void {
  const { deltaBytes } = LIMITS;
  const bytes = changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  if (bytes > deltaBytes.max) throw new Fault(deltaBytes.fault, `a call may write at most ${deltaBytes.max} bytes`);
}

/** A result as it was reported by reference. */
export interface ReportedResult {
  readonly bytes: Uint8Array;
  /** the tool's result schema, as JSON: on its way to a thread it loses only types */
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'result'>;
  /** whether the call succeeded, and so must have a result */
  readonly isNeeded: boolean;
  /** pointers to what its executor had to redact; empty for most calls */
  readonly redact: readonly string[];
}

/** Verifies that a result is what the tool returns. @throws Fault `effect.invalid` */
export function verifyResultBytes({ bytes, tool, isNeeded, redact }: ReportedResult): void {
  const value = parsedResult(bytes);
  verifyResultForm(tool, value, isNeeded);
  verifyRedacted(value, redact, isNeeded);
}

/** A result as it was reported by value. */
export interface ResultValue extends Omit<ReportedResult, 'bytes'> {
  readonly value: unknown;
}

/** Verifies the same for a value, and returns its RFC 8785 JSON. @throws Fault `effect.invalid` */
export function writeResult({ value, tool, isNeeded, redact }: ResultValue): Uint8Array {
  verifyResultForm(tool, value, isNeeded);
  verifyRedacted(value, redact, isNeeded);
  try {
    return canonicalBytes(value);
  } catch (cause) {
    throw new Fault('effect.invalid', 'the result is not I-JSON', { cause });
  }
}

function verifyResultForm({ tool_id, result }: ReportedResult['tool'], value: unknown, isNeeded: boolean): void {
  // A call that failed may have no result.
  if (value === null && !isNeeded) return;
  try {
    parseMessage(result, value);
  } catch (cause) {
    throw new Fault('effect.invalid', `the result does not fit \`${tool_id}\``, { cause });
  }
}

/**
 * INVARIANT (redacted before it is kept): a result that holds anything of what the decision redacts is refused, and
 * stored nowhere. Of a failure only the members at its top are known.
 */
function verifyRedacted(value: unknown, redact: readonly string[], succeeded: boolean): void {
  if (isRedacted(value, succeeded ? redact : topOf(redact))) return;
  throw new Fault('effect.invalid', 'the result holds members that the policy redacts');
}

function parsedResult(bytes: Uint8Array): unknown {
  try {
    return parseIJson(bytes, { depthMax: LIMITS.argsDepth.max });
  } catch (cause) {
    if (cause instanceof JsonError) throw new Fault('effect.invalid', 'the result is not I-JSON', { cause });
    throw cause;
  }
}

const Requests = Type.Array(EgressRequest, { maxItems: LIMITS.egressRequests.max });

/** Reads a list of requests that was reported by reference. @throws Fault `effect.invalid` */
export function readRequestList(bytes: Uint8Array): OutcomeRequests {
  const value = jsonOf(bytes);
  if (!Array.isArray(value) || value.length > LIMITS.egressRequests.max) {
    throw new Fault('effect.invalid', 'the list of requests is malformed');
  }
  try {
    return requestsOf(parseMessage(Requests, value));
  } catch (cause) {
    throw new Fault('effect.invalid', 'the list of requests is malformed', { cause });
  }
}
