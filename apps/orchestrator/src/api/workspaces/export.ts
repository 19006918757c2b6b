// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CHUNK_BYTES, type BlobStore } from '@writ/blobs';
import { Fault, type Caller, type TenantId } from '@writ/contract';
import { inSlices } from '@writ/worker-pool';
import { lookup, parsePath, quote, walk, type FoundEntry } from '@writ/workspace';
import { pack, type Pack } from 'tar-stream';
import { Snapshots } from './snapshots.ts';

/**
 * Bytes of small contents that are fetched together: one round trip for hundreds of files, and some megabytes of
 * memory.
 */
const BATCH_BYTES = 8 * CHUNK_BYTES;
const BATCH_FILES = 500;
type Header = Parameters<Pack['entry']>[0];
const MODES = { dir: 0o755, symlink: 0o777, 644: 0o644, 755: 0o755 } as const;
/** A fixed time, so that the same state is the same archive, byte for byte. */
const MTIME = new Date(0);

export interface ExportQuery {
  readonly at?: string | undefined;
  readonly path?: string | undefined;
}

/**
 * Packs a state of a workspace, or one of its directories, into a tar archive (POSIX.1-2001) with names relative to
 * that directory.
 */
export class Export {
  readonly #snapshots: Snapshots;
  readonly #blobs: BlobStore;

  constructor(snapshots: Snapshots, blobs: BlobStore) {
    this.#snapshots = snapshots;
    this.#blobs = blobs;
  }

  /**
   * Returns the archive as a stream, packed as fast as it is read. On an unreadable content the stream breaks off
   * before its end, which archive readers notice. Faults: `not_found`, `file.not_found`, `file.kind`, those of a path.
   */
  async run(
    caller: Caller,
    workspaceId: string,
    query: ExportQuery,
  ): Promise<{ snapshotId: string; archive: Readable }> {
    const path = parsePath(query.path ?? '');
    const { snapshotId, reader, root } = await this.#snapshots.open(caller, workspaceId, query.at);
    const top = await lookup(reader, root, path);
    if (top === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
    if (top.kind !== 'dir') throw new Fault('file.kind', `${quote(path)} is no directory`);
    const archive = new PassThrough();
    const packing = pack();
    pipeline(packing, archive).catch(() => undefined);
    this.#fill(packing, caller.tenant_id, walk(reader, top.sha256)).catch((error: unknown) =>
      archive.destroy(error as Error),
    );
    archive.once('close', () => packing.destroy());
    return { snapshotId, archive };
  }

  async #fill(packing: Pack, tenantId: TenantId, entries: AsyncIterable<FoundEntry>): Promise<void> {
    let batch: FoundEntry[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const contents = await this.#blobs.getMany(
        tenantId,
        batch.flatMap(({ entry }) => (entry.kind === 'dir' ? [] : [entry.sha256])),
      );
      for await (const { path, entry } of inSlices(batch))
        await add(
          packing,
          headerOf({ path, entry }, contents),
          entry.kind === 'file' ? [contents.get(entry.sha256) ?? new Uint8Array()] : [],
        );
      [batch, bytes] = [[], 0];
    };
    for await (const found of entries) {
      const { entry } = found;
      if (entry.kind === 'file' && entry.size > CHUNK_BYTES) {
        await flush();
        await add(packing, headerOf(found, new Map()), this.#blobs.getStream(tenantId, entry.sha256));
        continue;
      }
      batch.push(found);
      bytes += entry.size;
      if (bytes > BATCH_BYTES || batch.length === BATCH_FILES) await flush();
    }
    await flush();
    packing.finalize();
  }
}

function headerOf({ path, entry }: FoundEntry, contents: ReadonlyMap<string, Uint8Array>): Header {
  const owner = { mtime: MTIME, uid: 0, gid: 0 };
  switch (entry.kind) {
    case 'dir':
      return { ...owner, name: `${path}/`, type: 'directory', mode: MODES.dir };
    case 'symlink':
      return {
        ...owner,
        name: path,
        type: 'symlink',
        mode: MODES.symlink,
        linkname: Buffer.from(contents.get(entry.sha256) ?? '').toString('utf8'),
      };
    case 'file':
      return { ...owner, name: path, type: 'file', mode: MODES[entry.mode], size: entry.size };
  }
}

/**
 * Resolves when the entry is packed completely, and there is room for the next. Rejects where the archive's reader has
 * disconnected, or the content's length differs from its header.
 */
async function add(
  packing: Pack,
  header: Header,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const packed = Promise.withResolvers<undefined>();
  packed.promise.catch(() => undefined);
  const entry = packing.entry(header, (error) => {
    if (error) packed.reject(error);
    else packed.resolve(undefined);
  });
  if (header.type === 'file') {
    for await (const part of parts) if (!entry.write(part)) await Promise.race([once(entry, 'drain'), packed.promise]);
    entry.end(undefined);
  }
  await packed.promise;
}
