// SPDX-License-Identifier: Apache-2.0
//
// Reads the archive of a bundle, whose every byte is attacker-controlled. INVARIANT (bounded): memory holds one file of
// it at a time, and no file may exceed the maximum of a bundle. INVARIANT (nothing else): an entry that isn't a bundle
// file by name, kind and position is refused, so every byte of an archive is read.
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { BUNDLE_PATH } from '@writ/contract';
import { extract } from 'tar-stream';
import { CliError, usage } from '../cli-error.ts';

/** Twice the target size of one file of receipts: a file has at least one receipt, however long. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** More than a manifest can list. */
const FILES_MAX = 5_000;
const BLOCK_BYTES = 512;
/** An archive ends with two blocks of zeros. */
const END_BYTES = 2 * BLOCK_BYTES;
export const MANIFEST = 'manifest.json';
const NAME = new RegExp(BUNDLE_PATH);

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer E> ? E : never;

export interface BundleFile {
  readonly path: string;
  readonly bytes: Buffer;
}

export const invalidBundle = (message: string): CliError => new CliError('verify.bundle', message);

/**
 * The files of an archive in their order, the manifest last.
 * @throws CliError `verify.bundle` for anything but a complete bundle without additions; `usage` for a file that can't
 * be read
 */
export async function* readBundle(file: string): AsyncGenerator<BundleFile> {
  const seen = new Set<string>();
  let length = END_BYTES;
  try {
    const archive = extract();
    // An error of the file ends the archive's stream with the same error.
    pipeline(createReadStream(file), archive).catch(() => undefined);
    for await (const entry of archive) {
      if (seen.has(MANIFEST)) throw invalidBundle(`\`${entry.header.name}\` comes after the manifest: it was added`);
      const read = await readFile(entry);
      if (seen.has(read.path) || seen.size >= FILES_MAX)
        throw invalidBundle(`\`${read.path}\` comes twice, or there are too many files`);
      seen.add(read.path);
      length += BLOCK_BYTES + Math.ceil(read.bytes.length / BLOCK_BYTES) * BLOCK_BYTES;
      yield read;
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const { syscall, code } = cause as NodeJS.ErrnoException;
    if (syscall !== undefined) throw usage(`\`${file}\` can't be read (${code ?? 'unknown'})`);
    throw invalidBundle(`the archive can't be read to its end (${(cause as Error).message}): it was cut, or is none`);
  }
  if (!seen.has(MANIFEST)) throw invalidBundle('the archive has no manifest, which is its last file: it was cut');
  if (statSync(file).size !== length)
    throw invalidBundle('the archive has bytes that are in none of its files: it was cut or added to');
}

async function readFile(entry: Entry): Promise<BundleFile> {
  const { name, type, size = 0, mode, mtime } = entry.header;
  if (type !== 'file' || (name !== MANIFEST && !NAME.test(name)))
    throw invalidBundle(`\`${name}\` is no file of a bundle`);
  if (mode !== 0o644 || mtime?.getTime() !== 0) throw invalidBundle(`\`${name}\` isn't packed as a bundle's files are`);
  if (size > FILE_BYTES_MAX) throw invalidBundle(`\`${name}\` is longer than a file of a bundle can be`);
  const parts: Uint8Array[] = [];
  for await (const part of entry) parts.push(part as Uint8Array);
  return { path: name, bytes: Buffer.concat(parts) };
}
