// SPDX-License-Identifier: Apache-2.0
//
// The part of the file tools whose cost depends on the caller's input, as pure functions of bytes and arguments. The
// caller of the tools decides where this part runs. INVARIANT (no shared thread): work that isn't `isBriefFileWork` is
// attacker-controlled and takes unbounded time, so it must not run on a shared thread.
import { Fault, LIMITS, type FaultCode } from '@writ/contract';
import { editText, type EditedText, type EditWork } from './edit-text.ts';
import { ToolFault } from './tool-fault.ts';
import { readText, type ReadText, type ReadWork } from './read-text.ts';
import { programSizeBound, searchText, type SearchedText, type SearchWork } from './search-text.ts';

/** Each kind of work with its input and output. */
export interface FileWorkTable {
  readonly read: (work: ReadWork) => ReadText;
  readonly edit: (work: EditWork) => EditedText;
  readonly search: (work: SearchWork) => SearchedText;
}
export type FileWorkKind = keyof FileWorkTable;
export type FileWorkInput<K extends FileWorkKind> = Parameters<FileWorkTable[K]>[0];
export type FileWorkOutput<K extends FileWorkKind> = ReturnType<FileWorkTable[K]>;

/** A fault for the caller as data: a class doesn't survive the transfer between threads. */
export interface FileWorkFault {
  readonly code: FaultCode;
  readonly detail: string;
  readonly hint: string | null;
}
export type FileWorkDone<K extends FileWorkKind> =
  { readonly ok: true; readonly output: FileWorkOutput<K> } | { readonly ok: false; readonly fault: FileWorkFault };

/**
 * Runs work on some thread. Implementations MUST throw the Fault `limit.exceeded` after its time limit, and MUST NOT
 * change the bytes in their input. They MAY transfer unshared buffers to the thread, so callers MUST NOT use `bytes`
 * afterwards.
 */
export type FileWorker = <K extends FileWorkKind>(kind: K, input: FileWorkInput<K>) => Promise<FileWorkDone<K>>;

const WORK: FileWorkTable = { read: readText, edit: editText, search: searchText };

/** Runs the work inline. Throws only bugs. */
export function runFileWorkInline<K extends FileWorkKind>(kind: K, input: FileWorkInput<K>): FileWorkDone<K> {
  try {
    const work = WORK[kind] as (input: FileWorkInput<K>) => FileWorkOutput<K>;
    return { ok: true, output: work(input) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return {
      ok: false,
      fault: { code: error.code, detail: error.message, hint: error instanceof ToolFault ? error.hint : null },
    };
  }
}

/** How a tool runs its work: by the context's worker, or inline. */
export function workerOf({
  work,
}: {
  readonly work?: FileWorker;
}): <K extends FileWorkKind>(kind: K, input: FileWorkInput<K>) => Promise<FileWorkOutput<K>> {
  return async (kind, input) => {
    const done = work === undefined ? runFileWorkInline(kind, input) : await work(kind, input);
    if (done.ok) return done.output;
    const { code, detail, hint } = done.fault;
    throw hint === null ? new Fault(code, detail) : new ToolFault(code, detail, hint);
  };
}

/**
 * Bytes that a pass of a read or an edit handles in five milliseconds, for the slowest contents: measured at 1 to 4 ns
 * per byte on one core of 2.4 GHz, including decoding.
 */
const BRIEF_BYTES = 512 * 1024;
/**
 * Steps of a regular expression in the same time, at 70 to 100 ns each, if the engine has to simulate all its states.
 */
const BRIEF_STEPS = 50_000;

/** Answers whether the work takes at most five milliseconds, by its sizes alone. */
export function isBriefFileWork<K extends FileWorkKind>(kind: K, input: FileWorkInput<K>): boolean {
  switch (kind) {
    case 'read':
      return (input as ReadWork).bytes.length <= BRIEF_BYTES;
    case 'edit':
      return editedBytesBound(input as EditWork) <= BRIEF_BYTES;
    default: {
      const { files, pattern, regex } = input as SearchWork;
      const bytes = files.reduce((sum, { length }) => sum + length, 0);
      return regex ? (bytes + 1) * programSizeBound(pattern) <= BRIEF_STEPS : bytes + pattern.length <= BRIEF_BYTES;
    }
  }
}

/** UTF-16 units have at most three bytes in UTF-8. */
const UTF8_MOST = 3;

/** Upper bound on the bytes that the edits process, including their results. */
function editedBytesBound({ bytes, edits }: EditWork): number {
  let [size, sum] = [bytes.length, 0];
  for (const { find, replace, count = 1 } of edits) {
    const places = count === 'all' ? Math.floor(size / Math.max(1, find.length)) : count;
    // At worst, a CRLF for each LF.
    const grown = Math.min(size + places * (replace.length * UTF8_MOST + 1), LIMITS.fileToolBytes.max);
    sum += size + grown + find.length * UTF8_MOST;
    size = grown;
  }
  return sum;
}
