// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { CHUNK_BYTES, type BlobStore } from '@writ/blobs';
import {
  Fault,
  LIMITS,
  type BlobRef,
  type Caller,
  type Change,
  type FileState,
  type TenantId,
  type WorkspaceView,
} from '@writ/contract';
import { SLICE_MS, yieldNow } from '@writ/worker-pool';
import { joinPath, parsePath, quote, segmentsOf, type WorkspacePath } from '@writ/workspace';
import type { Extract } from 'tar-stream';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { boundedExtract } from './bounded-extract.ts';
import { bounded } from '../../edge/requests/bounded.ts';

type Source = Extract extends AsyncIterable<infer S> ? S : never;

/** Bytes of small contents that are stored together. */
const BATCH_BYTES = 8 * CHUNK_BYTES;
const BATCH_FILES = 500;
const ANY_EXECUTE = 0o111;

export interface ImportOptions {
  /** the target directory; default: the whole workspace */
  readonly path?: string | undefined;
  /** whether files that the archive doesn't contain are deleted; default: they stay */
  readonly replace?: boolean | undefined;
}

/** A small content that waits to be stored with others. */
interface PendingFile {
  readonly path: WorkspacePath;
  readonly mode: '644' | '755' | null;
  readonly bytes: Uint8Array;
}

/** Unpacks a tar archive into a workspace, in one change. The archive is attacker-controlled. */
export class Import {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /**
   * Stores contents as they arrive; then the kernel makes one change that refers to all of them, or none. Faults:
   * `request.malformed` for an invalid archive and for entry types that a workspace can't hold, those of a path,
   * `request.too_large`, `limit.exceeded`, those of the change.
   */
  async run(caller: Caller, workspaceId: string, options: ImportOptions, stream: Readable): Promise<WorkspaceView> {
    const top = parsePath(options.path ?? '');
    await this.#kernel.ask('workspace.read', caller, { workspace_id: workspaceId });
    const states = await this.#unpack(caller.tenant_id, top, stream);
    if (states.size === 0) throw new Fault('request.malformed', 'the archive is empty');
    const changes_ref = await this.#blobs.putStream(caller.tenant_id, listOf(states));
    return await this.#kernel.ask('workspace.import', caller, {
      workspace_id: workspaceId,
      changes_ref,
      path: top,
      replace: options.replace ?? false,
    });
  }

  async #unpack(tenantId: TenantId, top: WorkspacePath, stream: Readable): Promise<Map<WorkspacePath, FileState>> {
    const states = new Map<WorkspacePath, FileState>();
    let [pending, pendingBytes, bytes]: [PendingFile[], number, number] = [[], 0, 0];
    const store = async (): Promise<void> => {
      const refs = await this.#blobs.putMany(
        tenantId,
        pending.map((each) => each.bytes),
      );
      pending.forEach(({ path, mode }, index) => states.set(path, stateOf(refs[index] as BlobRef, mode)));
      [pending, pendingBytes] = [[], 0];
    };
    for await (const entry of entriesOf(stream)) {
      const { header } = entry;
      const path = pathWithin(top, header.name);
      if (path === top) continue;
      verifyCounts(states.size + pending.length + 1, (bytes += header.size ?? 0));
      const mode = ((header.mode ?? 0) & ANY_EXECUTE) === 0 ? '644' : '755';
      if (header.type === 'directory') states.set(path, { kind: 'dir', mode: null, sha256: null, size: 0 });
      else if (header.type === 'symlink') pending.push({ path, mode: null, bytes: Buffer.from(header.linkname ?? '') });
      else if (header.type === 'link') {
        await store();
        states.set(path, linkedState(states, pathWithin(top, header.linkname ?? ''), path));
      } else if (header.type !== 'file' && header.type !== 'contiguous-file')
        throw malformed(`${quote(path)} is neither a file, a directory nor a link`);
      else if ((header.size ?? 0) > CHUNK_BYTES)
        states.set(path, stateOf(await this.#blobs.putStream(tenantId, contentOf(entry)), mode));
      else {
        const content = await readWhole(entry);
        pending.push({ path, mode, bytes: content });
        pendingBytes += content.length;
      }
      if (pendingBytes > BATCH_BYTES || pending.length >= BATCH_FILES) await store();
      entry.resume();
    }
    await store();
    return states;
  }
}

/** Changes in one part of the list: as many as are serialized in a millisecond. */
const PART_CHANGES = 1_000;

/** Serializes the list of changes as JSON, part by part, because it may be several megabytes long. */
async function* listOf(states: ReadonlyMap<WorkspacePath, FileState>): AsyncGenerator<Uint8Array> {
  let part: string[] = [];
  let before = '[';
  for (const [path, after] of states) {
    const change: Change = { path, before: null, after };
    part.push(JSON.stringify(change));
    if (part.length < PART_CHANGES) continue;
    yield Buffer.from(`${before}${part.join(',')}`);
    [part, before] = [[], ','];
    await yieldNow();
  }
  yield Buffer.from(`${part.length === 0 ? '' : before}${part.join(',')}]`);
}

const malformed = (why: string, cause?: unknown): Fault =>
  new Fault('request.malformed', `the archive can't be taken: ${why}`, { cause });

/** Yields the entries of an archive, one after the other. */
async function* entriesOf(stream: Readable): AsyncGenerator<Source> {
  const { archive: reading, hasEnded } = boundedExtract();
  let failure: unknown = null;
  const feed = (async () => {
    try {
      let until = performance.now() + SLICE_MS;
      for await (const part of bounded(stream, LIMITS.importBytes.max)) {
        // The reader has refused the archive; the rest is discarded.
        if (reading.destroyed) break;
        if (!hasEnded() && !reading.write(part)) await drained(reading);
        if (performance.now() < until) continue;
        await yieldNow();
        until = performance.now() + SLICE_MS;
      }
      // After its end the reader may hold a partial block that is never completed.
      if (hasEnded()) reading.destroy();
      else reading.end(undefined);
    } catch (error) {
      failure = error;
      reading.destroy(error as Error);
    } finally {
      // The iteration paused the stream, and earlier calls of `resume` had no effect.
      stream.resume();
    }
  })();
  try {
    yield* reading as AsyncIterable<Source>;
    await feed;
  } catch (error) {
    throw unreadable(failure ?? error);
  } finally {
    reading.destroy();
    // Discards the rest of the body, because clients read no response before they have sent all of it.
    stream.resume();
  }
}

/** Resolves when there is room for more, or when the reader is closed. */
const drained = (reading: Extract): Promise<void> =>
  new Promise((resolve) => {
    // `close` is emitted only once, and may have been emitted before.
    if (reading.destroyed) return resolve();
    const done = (): void => {
      reading.off('drain', done);
      reading.off('close', done);
      resolve();
    };
    reading.on('drain', done);
    reading.on('close', done);
  });

/** The path of an entry below `top`. The `./` at the beginning of most archives' names is dropped. */
function pathWithin(top: WorkspacePath, name: string): WorkspacePath {
  return segmentsOf(parsePath(name)).reduce(joinPath, top);
}

function stateOf({ sha256, size }: BlobRef, mode: '644' | '755' | null): FileState {
  return { kind: mode === null ? 'symlink' : 'file', mode, sha256, size };
}

/** A hard link to an earlier entry becomes a separate file with the same content. */
function linkedState(
  states: ReadonlyMap<WorkspacePath, FileState>,
  target: WorkspacePath,
  path: WorkspacePath,
): FileState {
  const state = states.get(target);
  if (state?.kind !== 'file') throw malformed(`${quote(path)} is a second name of a file that does not come before it`);
  return state;
}

function verifyCounts(count: number, bytes: number): void {
  const { deltaChanges, deltaBytes } = LIMITS;
  if (count > deltaChanges.max)
    throw new Fault(deltaChanges.fault, `one change of a workspace touches at most ${deltaChanges.max} paths`);
  if (bytes > deltaBytes.max)
    throw new Fault(deltaBytes.fault, `one change of a workspace brings at most ${deltaBytes.max} bytes`);
}

async function* contentOf(entry: Source): AsyncGenerator<Uint8Array> {
  try {
    yield* entry as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(error);
  }
}

async function readWhole(entry: Source): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of contentOf(entry)) parts.push(part);
  return Buffer.concat(parts);
}

/** A fault about the body itself takes precedence over the reader's error about the incomplete archive. */
const unreadable = (error: unknown): Fault =>
  error instanceof Fault ? error : malformed('it is no whole tar archive', error);
