// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (all or nothing): every entry of an archive is read and checked before the first byte is written. Archives
// are attacker-controlled: the sizes that they state are compared with the real ones, and no link in them is followed.
import { gunzipSync } from 'node:zlib';
import { VERB_LIMITS } from '../limits.ts';
import type { GuardedFiles } from '../run/guarded-files.ts';
import { refused, StepError } from '../run/step-error.ts';
import { readPath } from '../rules/paths.ts';
import { readTar } from './tar.ts';
import { readZip } from './zip.ts';
import type { ArchiveEntry } from './archive-entry.ts';

/**
 * Unpacks an archive, whose format its first bytes show.
 * @throws StepError
 */
export async function extractArchive(archive: string, target: string, files: GuardedFiles): Promise<string> {
  const entries = entriesOf(await files.bytes(archive, VERB_LIMITS.archiveBytes));
  const placed: { readonly path: string; readonly entry: ArchiveEntry }[] = [];
  for (const entry of entries) {
    const { path, fault } = readPath(entry.path, target);
    if (path === null || path === target) {
      if (path === target && entry.kind === 'directory') continue;
      throw refused(`the entry \`${entry.path.slice(0, 200)}\` ${fault ?? 'has no name'}; nothing was written`);
    }
    await files.real(path, 'write');
    placed.push({ path, entry });
  }
  await requireNoClash(placed, files);
  for (const { path, entry } of placed)
    await (entry.kind === 'directory' ? files.makeDirectory(path) : files.write(path, entry.bytes));
  const count = placed.filter(({ entry }) => entry.kind === 'file').length;
  return `extracted ${count} files (${placed.reduce((sum, { entry }) => sum + entry.bytes.length, 0)} bytes) to ${files.shown(target)}`;
}

/** A file in place of a directory, in the archive or on the disk, would stop the writing halfway. */
async function requireNoClash(
  placed: readonly { path: string; entry: ArchiveEntry }[],
  files: GuardedFiles,
): Promise<void> {
  const kinds = new Map<string, ArchiveEntry['kind']>();
  for (const { path, entry } of placed) {
    const folders = path
      .split('/')
      .map((_, n, all) => all.slice(0, n).join('/'))
      .slice(1);
    for (const [at, kind] of [
      ...folders.map((folder) => [folder, 'directory'] as const),
      [path, entry.kind] as const,
    ]) {
      const known = kinds.get(at) ?? (await files.stat(at))?.kind ?? kind;
      if (known !== kind) throw refused(`\`${at.slice(0, 200)}\` would be a file and a directory; nothing was written`);
      kinds.set(at, kind);
    }
  }
}

function entriesOf(bytes: Uint8Array): readonly ArchiveEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, 2).toString('latin1') === 'PK') return readZip(buffer);
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) return readTar(unzipped(buffer));
  if (buffer.subarray(257, 262).toString('latin1') === 'ustar') return readTar(buffer);
  throw new StepError('it is no zip, tar or tar.gz');
}

function unzipped(buffer: Buffer): Buffer {
  try {
    return gunzipSync(buffer, { maxOutputLength: VERB_LIMITS.archiveBytes });
  } catch (error) {
    throw new StepError(`it can't be unzipped, or holds more than ${VERB_LIMITS.archiveBytes} bytes`, { cause: error });
  }
}
