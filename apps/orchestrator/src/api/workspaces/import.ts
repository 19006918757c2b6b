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
import { bounded } from './bounded.ts';

type Source = Extract extends AsyncIterable<infer S> ? S : never;

/** Small contents that are stored at once. */
const BATCH_BYTES = 8 * CHUNK_BYTES;
const BATCH_FILES = 500;
const ANY_EXECUTE = 0o111;

export interface ImportWish {
  /** a directory to put it into; the workspace unless said */
  readonly path?: string | undefined;
  /** whether what the archive doesn't name is taken away; else it stays */
  readonly replace?: boolean | undefined;
}

/** Contents that wait to be stored together. */
interface Waiting {
  readonly path: WorkspacePath;
  readonly mode: '644' | '755' | null;
  readonly bytes: Uint8Array;
}

/** Unpacks a tar archive into a workspace, in one change. What the archive says is attacker-controlled. */
export class Import {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /**
   * Contents are stored as they come; then the kernel makes the one change that names them, or none. Faults:
   * `request.malformed` for what is no archive and for entries that a workspace has no place for, those of a path,
   * `request.too_large`, `limit.exceeded`, those of the change.
   */
  async run(caller: Caller, workspaceId: string, wish: ImportWish, stream: Readable): Promise<WorkspaceView> {
    const top = parsePath(wish.path ?? '');
    await this.#kernel.ask('workspace.read', caller, { workspace_id: workspaceId });
    const states = await this.#unpack(caller.tenant_id, top, stream);
    if (states.size === 0) throw new Fault('request.malformed', 'the archive is empty');
    const changes_ref = await this.#blobs.putStream(caller.tenant_id, listOf(states));
    return await this.#kernel.ask('workspace.import', caller, {
      workspace_id: workspaceId,
      changes_ref,
      path: top,
      replace: wish.replace ?? false,
    });
  }

  async #unpack(tenantId: TenantId, top: WorkspacePath, stream: Readable): Promise<Map<WorkspacePath, FileState>> {
    const states = new Map<WorkspacePath, FileState>();
    let [waiting, held, bytes]: [Waiting[], number, number] = [[], 0, 0];
    const store = async (): Promise<void> => {
      const refs = await this.#blobs.putMany(
        tenantId,
        waiting.map((each) => each.bytes),
      );
      waiting.forEach(({ path, mode }, index) => states.set(path, stateOf(refs[index] as BlobRef, mode)));
      [waiting, held] = [[], 0];
    };
    for await (const entry of entriesOf(stream)) {
      const { header } = entry;
      const path = placeOf(top, header.name);
      if (path === top) continue;
      verifyCounts(states.size + waiting.length + 1, (bytes += header.size ?? 0));
      const mode = ((header.mode ?? 0) & ANY_EXECUTE) === 0 ? '644' : '755';
      if (header.type === 'directory') states.set(path, { kind: 'dir', mode: null, sha256: null, size: 0 });
      else if (header.type === 'symlink') waiting.push({ path, mode: null, bytes: Buffer.from(header.linkname ?? '') });
      else if (header.type === 'link') {
        await store();
        states.set(path, linkedState(states, placeOf(top, header.linkname ?? ''), path));
      } else if (header.type !== 'file' && header.type !== 'contiguous-file')
        throw malformed(`${quote(path)} is neither a file, a directory nor a link`);
      else if ((header.size ?? 0) > CHUNK_BYTES)
        states.set(path, stateOf(await this.#blobs.putStream(tenantId, contentOf(entry)), mode));
      else {
        const content = await wholeOf(entry);
        waiting.push({ path, mode, bytes: content });
        held += content.length;
      }
      if (held > BATCH_BYTES || waiting.length >= BATCH_FILES) await store();
      entry.resume();
    }
    await store();
    return states;
  }
}

/** Changes of one part of the list: as many as are written in a millisecond. */
const PART_CHANGES = 1_000;

/** The list of changes as JSON, part by part: it may be several megabytes long. */
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

/** The entries of an archive, one after the other. */
async function* entriesOf(stream: Readable): AsyncGenerator<Source> {
  const { archive: reading, isOver } = boundedExtract();
  let failure: unknown = null;
  const feed = (async () => {
    try {
      let until = performance.now() + SLICE_MS;
      for await (const part of bounded(stream, LIMITS.importBytes.max)) {
        // Refused by what reads it: the rest flows past.
        if (reading.destroyed) break;
        if (!isOver() && !reading.write(part)) await drained(reading);
        if (performance.now() < until) continue;
        await yieldNow();
        until = performance.now() + SLICE_MS;
      }
      // After its end there may be a piece of a block that nobody reads any more.
      if (isOver()) reading.destroy();
      else reading.end(undefined);
    } catch (error) {
      failure = error;
      reading.destroy(error as Error);
    } finally {
      // While parts were taken one by one it didn't flow, whoever asked it to.
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
    // What is left of the body flows past: who sends it reads no answer before.
    stream.resume();
  }
}

/** Until there is room for more, or nobody reads any more. */
const drained = (reading: Extract): Promise<void> =>
  new Promise((resolve) => {
    // It says that it has closed once, and that may have been before.
    if (reading.destroyed) return resolve();
    const done = (): void => {
      reading.off('drain', done);
      reading.off('close', done);
      resolve();
    };
    reading.on('drain', done);
    reading.on('close', done);
  });

/** `./` stands before names in most archives; it is dropped as everywhere. */
function placeOf(top: WorkspacePath, name: string): WorkspacePath {
  return segmentsOf(parsePath(name)).reduce(joinPath, top);
}

function stateOf({ sha256, size }: BlobRef, mode: '644' | '755' | null): FileState {
  return { kind: mode === null ? 'symlink' : 'file', mode, sha256, size };
}

/** A second name of a file that came before becomes a file of its own. */
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

async function wholeOf(entry: Source): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of contentOf(entry)) parts.push(part);
  return Buffer.concat(parts);
}

/** What the API itself says of the body goes before what its archive looks like without the rest. */
const unreadable = (error: unknown): Fault =>
  error instanceof Fault ? error : malformed('it is no whole tar archive', error);
