// SPDX-License-Identifier: Apache-2.0
import {
  COMMAND_OUTPUT_BYTES,
  Fault,
  LIMITS,
  type Delta,
  type ReportRequest,
  type ToolDefinition,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { sha256Hex } from '@writ/digest';
import type { TaskRunner } from '@writ/worker-pool';
import { deltaOf } from '@writ/workspace';
import { Type } from 'typebox';
import { requestsOf, type OutcomeRequests, type OutcomeResult } from '../outcomes/index.ts';
import { jsonSizeOf } from '../../judging/judgement/index.ts';
import type { ExecutionTasks } from '../worker-tasks.ts';
import { INLINE_BYTES_MAX, READ_WALL_MS, parsePieces } from './delta-pieces.ts';
import {
  readDelta,
  readRequestList,
  verifyResultBytes,
  writeResult,
  type ReportedDelta,
  type ResultValue,
} from './read-report.ts';
import { readBlob, type ReportedContents } from './reported-contents.ts';

/** The longest delta: `deltaChanges` of them with names of ordinary length. It is read into memory whole. */
const DELTA_BLOB_BYTES_MAX = 16 * 1024 * 1024;
/** The longest result: the most output that a tenant lets commands return, in JSON, where a byte may need six. */
const RESULT_BLOB_BYTES_MAX = 6 * COMMAND_OUTPUT_BYTES.max + 64 * 1024;
/** The longest list of requests: the most requests, each as long as allowed, in JSON. */
const REQUESTS_BLOB_BYTES_MAX = 2 * 1024 * 1024;

const ANY_RESULT = Type.Unknown() as unknown as ToolDefinition['result'];

/** A delta by value of so many changes is read on the event loop: it takes 3 ms. */
const INLINE_CHANGES_MAX = 150;
/** A result by value of so many values is serialized on the event loop. */
const INLINE_VALUES_MAX = 2_000;

/** An effect's delta as it was read, with the digest. */
export interface EffectRead {
  readonly delta: Delta;
  /** RFC 8785 JSON of the delta */
  readonly bytes: Uint8Array;
  /** of the effect */
  readonly digest: string;
}

/**
 * Reads what executors report. INVARIANT (the loop is everybody's): the event loop reads only what is known to take 5
 * ms at most. A worker thread reads the rest, and the event loop parses its result piece by piece. Only copying a delta
 * of many MiB takes longer.
 */
export class ReportReader {
  readonly #blobs: BlobStore;
  readonly #work: TaskRunner<ExecutionTasks> | null;

  /** @param work null: all of it is done on the event loop, for specs */
  constructor(blobs: BlobStore, work: TaskRunner<ExecutionTasks> | null) {
    this.#blobs = blobs;
    this.#work = work;
  }

  /**
   * The egress requests, as the executor's gate lists them. @throws Fault `effect.invalid`; others where our own store
   * fails
   */
  async requests(contents: ReportedContents, report: ReportRequest): Promise<OutcomeRequests> {
    const { tenant_id, requests, requests_ref } = report;
    const ref = requests_ref ?? null;
    if (ref === null) return inlineRequests(requests);
    if (requests.length > 0) {
      throw new Fault('effect.invalid', 'requests are listed by value or by reference, not both');
    }
    const bytes = await contents.read('requests', ref, REQUESTS_BLOB_BYTES_MAX);
    return await this.#run('requests.read', readRequestList, bytes, tenant_id, bytes.byteLength <= INLINE_BYTES_MAX);
  }

  /**
   * The result of a report, verified against its hash, its tool's schema and what had to be redacted of it.
   * @throws Fault `effect.invalid`; others where our own store fails
   */
  async result(
    contents: ReportedContents,
    { tool_id, result, schemas, http }: ToolDefinition,
    report: ReportRequest,
    redact: readonly string[] = [],
  ): Promise<OutcomeResult> {
    // Schemas of tenants are never compiled. That of a function was interpreted before its result came here, and nobody
    // promises that an API keeps to its own.
    const tool = { tool_id, result: schemas === undefined && http === undefined ? result : ANY_RESULT };
    const { tenant_id, result_hash: hash, result_ref: ref, ended } = report;
    const isNeeded = ended === 'exited';
    if (ref === null) return await this.#inlineResult({ tool, isNeeded, redact }, report);
    const bytes = await contents.read('result', ref, RESULT_BLOB_BYTES_MAX);
    verifyHash(bytes, hash);
    const isShort = bytes.byteLength <= INLINE_BYTES_MAX;
    await this.#run('result.verify', verifyResultBytes, { bytes, tool, isNeeded, redact }, tenant_id, isShort);
    return { hash, ref: contents.storedRef(ref), bytes: null };
  }

  /**
   * The delta of a report, well-formed and within its limits; an empty one where none is reported. @throws Fault
   * `effect.invalid` or `limit.exceeded` for what is wrong with it; others where our own store fails
   */
  async delta(
    report: ReportRequest,
    context: Omit<ReportedDelta, 'delta' | 'exit_status' | 'result_hash'>,
  ): Promise<EffectRead> {
    const { tenant_id, delta, delta_ref: ref, exit_code: exit_status, result_hash } = report;
    if (delta !== null && ref !== null) {
      throw new Fault('effect.invalid', 'a delta comes by value or by reference, not both');
    }
    const stored =
      ref === null
        ? null
        : await readBlob(this.#blobs, tenant_id, ref, DELTA_BLOB_BYTES_MAX, { tooLong: 'limit.exceeded' });
    const value = delta ?? deltaOf(context.snapshot, []);
    const { tool_id, mutating } = context.tool;
    const tool = { tool_id, mutating };
    const reported: ReportedDelta = { ...context, tool, delta: stored ?? { value }, exit_status, result_hash };
    const isShort = stored === null ? isFew(value) : stored.byteLength <= INLINE_BYTES_MAX;
    const read = await this.#run('delta.read', readDelta, reported, tenant_id, isShort);
    const { base, bytes, digest } = read;
    return { delta: { v: 1, base, changes: await parsePieces(read) } as Delta, bytes, digest };
  }

  async #inlineResult(expected: Omit<ResultValue, 'value'>, report: ReportRequest): Promise<OutcomeResult> {
    const { tenant_id, result: value, result_hash: hash } = report;
    const isSmall = !jsonSizeOf(value, INLINE_VALUES_MAX, INLINE_VALUES_MAX).isMore;
    const written = { ...expected, value };
    const bytes = await this.#run('result.write', writeResult, written, tenant_id, isSmall);
    if (bytes.byteLength > LIMITS.resultInlineBytes.max) {
      throw new Fault('effect.invalid', 'a result this long travels as a blob');
    }
    verifyHash(bytes, hash);
    return { hash, ref: null, bytes };
  }

  /** @param isShort whether it is known to take little time */
  async #run<K extends 'requests.read' | 'result.verify' | 'result.write' | 'delta.read'>(
    task: K,
    read: ExecutionTasks[K],
    input: Parameters<ExecutionTasks[K]>[0],
    tenantId: string,
    isShort: boolean,
  ): Promise<ReturnType<ExecutionTasks[K]>> {
    if (isShort || this.#work === null) return (read as (given: unknown) => ReturnType<ExecutionTasks[K]>)(input);
    const run = this.#work.run(task, input as never, { tenantId, wallMs: READ_WALL_MS });
    return (await run) as ReturnType<ExecutionTasks[K]>;
  }
}

function isFew(value: unknown): boolean {
  const { changes } = value as { readonly changes?: unknown };
  return !Array.isArray(changes) || changes.length <= INLINE_CHANGES_MAX;
}

function inlineRequests(list: ReportRequest['requests']): OutcomeRequests {
  const listed = requestsOf(list);
  if (listed.bytes.byteLength <= LIMITS.requestsInlineBytes.max) return listed;
  throw new Fault('effect.invalid', 'a list of requests this long travels as a blob');
}

function verifyHash(bytes: Uint8Array, hash: string): void {
  if (sha256Hex(bytes) !== hash) throw new Fault('effect.invalid', 'the result does not match its hash');
}
