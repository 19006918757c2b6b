// SPDX-License-Identifier: Apache-2.0
//
// The part of the file tools whose cost the caller's input decides, as pure functions of bytes and arguments: whoever
// runs the tools decides where this part runs. INVARIANT (no shared thread): what isn't `isBriefFileWork` is
// attacker-controlled work of unbounded time, and must not run where others wait.
import { Fault, LIMITS, type FaultCode } from '@writ/contract';
import { editText, type EditedText, type EditWork } from './edit-text.ts';
import { ToolFault } from './tool-fault.ts';
import { readText, type ReadText, type ReadWork } from './read-text.ts';
import { programMost, searchText, type SearchedText, type SearchWork } from './search-text.ts';

/** Each kind of work with what it takes and gives. */
export interface FileWorkTable {
  readonly read: (work: ReadWork) => ReadText;
  readonly edit: (work: EditWork) => EditedText;
  readonly search: (work: SearchWork) => SearchedText;
}
export type FileWorkKind = keyof FileWorkTable;
export type FileWorkInput<K extends FileWorkKind> = Parameters<FileWorkTable[K]>[0];
export type FileWorkOutput<K extends FileWorkKind> = ReturnType<FileWorkTable[K]>;

/** A fault of the caller's as data: a class doesn't survive the way between threads. */
export interface FileWorkFault {
  readonly code: FaultCode;
  readonly detail: string;
  readonly hint: string | null;
}
export type FileWorkDone<K extends FileWorkKind> =
  { readonly ok: true; readonly output: FileWorkOutput<K> } | { readonly ok: false; readonly fault: FileWorkFault };

/**
 * Runs work somewhere. Implementations MUST throw the Fault `limit.exceeded` where its time is over, and MUST NOT
 * change the bytes that they are given; they MAY take buffers away that nobody else uses, so callers MUST NOT use
 * `bytes` afterwards.
 */
export type FileWorker = <K extends FileWorkKind>(kind: K, input: FileWorkInput<K>) => Promise<FileWorkDone<K>>;

const WORK: FileWorkTable = { read: readText, edit: editText, search: searchText };

/** Does the work here and now. Throws only what is a bug. */
export function doFileWork<K extends FileWorkKind>(kind: K, input: FileWorkInput<K>): FileWorkDone<K> {
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

/** A tool's way to its work: of the context, or in place. */
export function workOf({
  work,
}: {
  readonly work?: FileWorker;
}): <K extends FileWorkKind>(kind: K, input: FileWorkInput<K>) => Promise<FileWorkOutput<K>> {
  return async (kind, input) => {
    const done = work === undefined ? doFileWork(kind, input) : await work(kind, input);
    if (done.ok) return done.output;
    const { code, detail, hint } = done.fault;
    throw hint === null ? new Fault(code, detail) : new ToolFault(code, detail, hint);
  };
}

/**
 * Bytes that any of the passes of a reading or an edit goes over in five milliseconds, with the slowest contents:
 * measured at 1 to 4 ns a byte on one core of 2.4 GHz, decoding included.
 */
const BRIEF_BYTES = 512 * 1024;
/**
 * Steps of a regular expression in the same time, at 70 to 100 ns each where nothing but a simulation of all its states
 * will do.
 */
const BRIEF_STEPS = 50_000;

/** Answers whether the work takes five milliseconds at most, by its sizes alone. */
export function isBriefFileWork<K extends FileWorkKind>(kind: K, input: FileWorkInput<K>): boolean {
  switch (kind) {
    case 'read':
      return (input as ReadWork).bytes.length <= BRIEF_BYTES;
    case 'edit':
      return editedBytesMost(input as EditWork) <= BRIEF_BYTES;
    default: {
      const { files, pattern, regex } = input as SearchWork;
      const bytes = files.reduce((sum, { length }) => sum + length, 0);
      return regex ? (bytes + 1) * programMost(pattern) <= BRIEF_STEPS : bytes + pattern.length <= BRIEF_BYTES;
    }
  }
}

/** UTF-16 units make three bytes of UTF-8 at most. */
const UTF8_MOST = 3;

/** Bytes that the edits go over at most, with what each makes of them. */
function editedBytesMost({ bytes, edits }: EditWork): number {
  let [size, sum] = [bytes.length, 0];
  for (const { find, replace, count = 1 } of edits) {
    const places = count === 'all' ? Math.floor(size / Math.max(1, find.length)) : count;
    // A CRLF for each LF at worst.
    const grown = Math.min(size + places * (replace.length * UTF8_MOST + 1), LIMITS.fileToolBytes.max);
    sum += size + grown + find.length * UTF8_MOST;
    size = grown;
  }
  return sum;
}
