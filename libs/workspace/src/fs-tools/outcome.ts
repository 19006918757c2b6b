// SPDX-License-Identifier: Apache-2.0
import { Fault, type Delta, type FaultCode } from '@writ/contract';
import type { NewBlob, NodeReader } from '../node.ts';
import type { WorkspacePath } from '../path.ts';
import type { FileWorker } from './file-work.ts';
import { ToolFault } from './tool-fault.ts';

/** What a file tool works on, and what the call's token lets it see of it. */
export interface FileToolContext {
  readonly reader: NodeReader;
  /** hash of the root node of the snapshot that the call runs on */
  readonly root: string;
  /**
   * Answers whether the call may touch a path. Asked about the path with its links resolved, before anything of it is
   * read or told: a link inside a granted directory may lead to one that isn't.
   */
  readonly may: (access: 'read' | 'write', path: WorkspacePath) => boolean;
  /**
   * where work runs whose cost the input decides; in place unless given, which is for programs that serve one caller
   */
  readonly work?: FileWorker;
}

/**
 * A tool that did its work. `delta` is null where nothing changes; `blobs` are to be stored before the delta is
 * reported.
 */
export interface FileToolSuccess<R> {
  readonly ok: true;
  readonly result: R;
  readonly delta: Delta | null;
  readonly blobs: readonly NewBlob[];
}

/** A tool that couldn't, told to the agent: what is wrong, and what to try. */
export interface ToolFailure {
  readonly ok: false;
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
}

export type FileToolOutcome<R> = FileToolSuccess<R> | ToolFailure;

/**
 * All that a file tool may say is wrong: the caller's business. Any other fault is ours (a store that is away, a node
 * that is broken) and goes on.
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

/** The failure that a thrown fault means for the caller. Throws on whatever isn't the caller's business. */
export function failureOf(error: unknown): ToolFailure {
  if (!(error instanceof Fault) || !FILE_TOOL_FAULTS.has(error.code)) throw error;
  return { ok: false, code: error.code, message: error.message, hint: error instanceof ToolFault ? error.hint : null };
}

/** The success of a tool that changes nothing. */
export function seen<R>(result: R): FileToolSuccess<R> {
  return { ok: true, result, delta: null, blobs: [] };
}
