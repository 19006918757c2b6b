// SPDX-License-Identifier: Apache-2.0
import { Fault, type Delta, type FaultCode } from '@writ/contract';
import type { NewBlob, NodeReader } from '../node.ts';
import type { WorkspacePath } from '../path.ts';
import type { FileWorker } from './file-work.ts';
import { ToolFault } from './tool-fault.ts';

/** The workspace for a file tool, and the scope of the call's token. */
export interface FileToolContext {
  readonly reader: NodeReader;
  /** hash of the root node of the snapshot that the call runs on */
  readonly root: string;
  /**
   * Answers whether the call may access a path. It is called with the path after resolving its links, before anything
   * of it is read or shown: a link inside a granted directory may lead outside.
   */
  readonly may: (access: 'read' | 'write', path: WorkspacePath) => boolean;
  /** runs work whose cost depends on the input; inline by default, for programs with a single caller */
  readonly work?: FileWorker;
}

/** A successful tool. `delta` is null if nothing changes; `blobs` must be stored before the delta is reported. */
export interface FileToolSuccess<R> {
  readonly ok: true;
  readonly result: R;
  readonly delta: Delta | null;
  readonly blobs: readonly NewBlob[];
}

/** A failed tool, for the agent: the problem, and what to try. */
export interface ToolFailure {
  readonly ok: false;
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
}

export type FileToolOutcome<R> = FileToolSuccess<R> | ToolFailure;

/**
 * The faults that a file tool may report to its caller. Any other fault is ours (an unavailable store, a broken node)
 * and is thrown.
 */
export const FILE_TOOL_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'args.invalid',
  'path.invalid',
  'path.escape',
  'token.scope',
  'file.not_found',
  'file.kind',
  'file.too_large',
  'edit.no_match',
  'edit.ambiguous',
  'search.pattern',
]);

/** Maps a thrown fault to the failure for the caller. Rethrows any other error. */
export function failureOf(error: unknown): ToolFailure {
  if (!(error instanceof Fault) || !FILE_TOOL_FAULTS.has(error.code)) throw error;
  return { ok: false, code: error.code, message: error.message, hint: error instanceof ToolFault ? error.hint : null };
}

/** The success of a tool that changes nothing. */
export function unchangedOutcome<R>(result: R): FileToolSuccess<R> {
  return { ok: true, result, delta: null, blobs: [] };
}
