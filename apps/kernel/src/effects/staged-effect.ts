// SPDX-License-Identifier: Apache-2.0
//
// What an executor reports comes from a container that may lie. Everything here is read as attacker-controlled: what isn't well-formed makes
// the call end as `effect.invalid`, never this process.
import { Fault, LIMITS, parseMessage, type Delta, type ReportRequest, type ToolDefinition } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, JsonError, parseIJson, parseJson, sha256Hex } from '@writ/digest';
import { SEAL_BYTES } from '@writ/nest-kit';
import { deltaOf, parseDelta } from '@writ/workspace';
import type { EndingResult } from '../endings/index.ts';
import { readBlob, type ReportedContents } from './reported-contents.ts';

/** A longest delta: `deltaChanges` of them with names of ordinary length. It is read into memory whole. */
const DELTA_BLOB_BYTES_MAX = 16 * 1024 * 1024;
/** A longest result: the output that tools may give, in JSON, where a byte may take six. */
const RESULT_BLOB_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The delta of a report, well-formed and within its limits; an empty one where none is reported. @throws Fault `effect.invalid` or `limit.exceeded` for what is
 * wrong with it; others where our own store fails.
 */
export async function readDelta(blobs: BlobStore, tool: ToolDefinition, snapshot: string, report: ReportRequest): Promise<Delta> {
  const delta = await reportedDelta(blobs, snapshot, report);
  verifyDeltaLimits(delta);
  if (!tool.mutating && delta.changes.length > 0) throw new Fault('effect.invalid', `\`${tool.tool_id}\` only reads, and its attempt changed files`);
  return delta;
}

/** Contents by the hex SHA-256 of their bytes. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** The contents that came with a report, under hashes computed here. @throws Fault `effect.invalid` */
export async function readContents({ contents }: ReportRequest): Promise<Contents> {
  const bytes = contents.map((text) => Buffer.from(text, 'base64'));
  const { contentsInlineBytes } = LIMITS;
  if (bytes.reduce((sum, { byteLength }) => sum + byteLength, 0) > contentsInlineBytes.max) throw new Fault(contentsInlineBytes.fault, 'contents this long are stored before they are reported');
  return new Map(bytes.map((content) => [sha256Hex(content), content]));
}

/** The result of a report, as its hash says and its tool returns it. @throws Fault `effect.invalid`; others where our own store fails */
export async function readResult(contents: ReportedContents, tool: ToolDefinition, report: ReportRequest): Promise<EndingResult> {
  const { result_hash: hash, result_ref: ref } = report;
  const bytes = ref === null ? canonicalOf(report.result) : await contents.read('result', ref, RESULT_BLOB_BYTES_MAX);
  if (ref === null && bytes.byteLength > LIMITS.resultInlineBytes.max) throw new Fault('effect.invalid', 'a result this long travels as a blob');
  if (sha256Hex(bytes) !== hash) throw new Fault('effect.invalid', 'the result does not match its hash');
  const value = ref === null ? report.result : parsedOf(bytes);
  // A call that ended badly may have nothing to say.
  if (value !== null || report.ended === 'exited') verifyResultForm(tool, value);
  return ref === null ? { hash, ref, bytes } : { hash, ref: contents.kept(ref), bytes: null };
}

/**
 * The contents of a whole output are there, and as long as they are when they are sealed. They are opened by nobody here: what they say is the executor's word, as a result's text is.
 * @throws Fault `effect.invalid`; others where our own store fails
 */
export async function verifyOutput(blobs: BlobStore, { tenant_id, output_refs }: Pick<ReportRequest, 'tenant_id' | 'output_refs'>): Promise<void> {
  if (output_refs === undefined) return;
  const { stdout, stderr } = output_refs;
  const sizes = await blobs.sizes(tenant_id, [...new Set([stdout.sha256, stderr.sha256])]);
  for (const { sha256, size } of [stdout, stderr]) {
    const stored = sizes.get(sha256);
    if (stored === undefined) throw new Fault('effect.invalid', 'the report names an output that was not stored');
    if (stored !== size + SEAL_BYTES) throw new Fault('effect.invalid', 'the report names an output of another size than it has');
  }
}

function verifyResultForm(tool: ToolDefinition, value: unknown): void {
  try {
    parseMessage(tool.result, value);
  } catch (cause) {
    throw new Fault('effect.invalid', `the result does not fit \`${tool.tool_id}\``, { cause });
  }
}

async function reportedDelta(blobs: BlobStore, snapshot: string, report: ReportRequest): Promise<Delta> {
  if (report.delta !== null && report.delta_ref !== null) throw new Fault('effect.invalid', 'a delta comes by value or by reference, not both');
  if (report.delta === null && report.delta_ref === null) return deltaOf(snapshot, []);
  const value = report.delta_ref === null
    ? report.delta
    : jsonOf(await readBlob(blobs, report.tenant_id, report.delta_ref, DELTA_BLOB_BYTES_MAX, { tooLong: 'limit.exceeded' }));
  const delta = parseDelta(value);
  if (delta.base !== snapshot) throw new Fault('effect.invalid', 'the effect is of another snapshot than the attempt ran on');
  return delta;
}

function verifyDeltaLimits({ changes }: Delta): void {
  const { deltaChanges, deltaBytes } = LIMITS;
  if (changes.length > deltaChanges.max) throw new Fault(deltaChanges.fault, `a call may change at most ${deltaChanges.max} files`);
  const bytes = changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0);
  if (bytes > deltaBytes.max) throw new Fault(deltaBytes.fault, `a call may write at most ${deltaBytes.max} bytes`);
}

function canonicalOf(value: unknown): Uint8Array {
  try {
    return canonicalBytes(value);
  } catch (cause) {
    throw new Fault('effect.invalid', 'the result is not I-JSON', { cause });
  }
}

function parsedOf(bytes: Uint8Array): unknown {
  try {
    return parseIJson(bytes, { depthMax: LIMITS.argsDepth.max });
  } catch (cause) {
    if (cause instanceof JsonError) throw new Fault('effect.invalid', 'the result is not I-JSON', { cause });
    throw cause;
  }
}

/** Reads JSON that is then taken field by field: what a key twice would mean doesn't matter, since only what was read here is checked, named and stored. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Fault('effect.invalid', 'the effect is not JSON', { cause });
  }
}
