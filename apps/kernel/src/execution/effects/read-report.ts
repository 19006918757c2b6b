// SPDX-License-Identifier: Apache-2.0
//
// What an executor reports comes from a container that may lie. Everything here is read as attacker-controlled: what
// isn't well-formed makes the call end as `effect.invalid`, never this process. These functions take a time that
// grows with what they read: see `ReportReader` for where.
import { EgressRequest, Fault, LIMITS, parseMessage, type Delta, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, effectDigest, JsonError, parseIJson } from '@writ/digest';
import { parseDelta } from '@writ/workspace';
import { Type } from 'typebox';
import { requestsOf, type EndingRequests } from '../outcomes/ending-requests.ts';
import { jsonOf, writeInPieces, type DeltaPieces } from './delta-pieces.ts';

/** A delta as it was reported, with what its effect's digest is over beside. */
export interface ReportedDelta {
  /** as bytes, or by value */
  readonly delta: Uint8Array | { readonly value: unknown };
  readonly snapshot: string;
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'mutating'>;
  readonly exit_status: number | null;
  readonly result_hash: string;
  readonly requests: EndingRequests['list'];
}

/** A delta that is well-formed and within its limits. */
export interface DeltaRead extends DeltaPieces {
  /** of the effect */
  readonly digest: string;
}

/** Reads a delta. @throws Fault `effect.invalid`, `limit.exceeded` */
export function readDelta({ delta, ...beside }: ReportedDelta): DeltaRead {
  const { base, changes } = parsedDelta(delta instanceof Uint8Array ? jsonOf(delta) : delta.value, beside);
  const { exit_status, result_hash, requests } = beside;
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

/** Before anything of them is looked at: of what is wrong with each of a million, a thread would remember all. */
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
  /** what the tool returns, as a schema of JSON: nothing of it is lost on its way to a thread but what types need */
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'result'>;
  /** whether the call ended well, and so has to say something */
  readonly isNeeded: boolean;
}

/** Verifies that a result is what the tool returns. @throws Fault `effect.invalid` */
export function verifyResultBytes({ bytes, tool, isNeeded }: ReportedResult): void {
  verifyResultForm(tool, parsedResult(bytes), isNeeded);
}

/** A result as it was reported by value. */
export interface ResultValue extends Omit<ReportedResult, 'bytes'> {
  readonly value: unknown;
}

/** Verifies the same of a value, and answers its RFC 8785 JSON. @throws Fault `effect.invalid` */
export function writeResult({ value, tool, isNeeded }: ResultValue): Uint8Array {
  verifyResultForm(tool, value, isNeeded);
  try {
    return canonicalBytes(value);
  } catch (cause) {
    throw new Fault('effect.invalid', 'the result is not I-JSON', { cause });
  }
}

function verifyResultForm({ tool_id, result }: ReportedResult['tool'], value: unknown, isNeeded: boolean): void {
  // A call that ended badly may have nothing to say.
  if (value === null && !isNeeded) return;
  try {
    parseMessage(result, value);
  } catch (cause) {
    throw new Fault('effect.invalid', `the result does not fit \`${tool_id}\``, { cause });
  }
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
export function readRequestList(bytes: Uint8Array): EndingRequests {
  const value = jsonOf(bytes);
  if (!Array.isArray(value) || value.length > LIMITS.egressRequests.max) {
    throw new Fault('effect.invalid', 'the list of requests is none');
  }
  try {
    return requestsOf(parseMessage(Requests, value));
  } catch (cause) {
    throw new Fault('effect.invalid', 'the list of requests is none', { cause });
  }
}
