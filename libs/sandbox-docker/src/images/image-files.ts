// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type Docker from 'dockerode';
import { extract, pack, type Header } from 'tar-stream';

/** The largest file of an image that is read: a list of users is far smaller. */
const FILE_BYTES_MAX = 1024 * 1024;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === 404;

/** The text of a regular file of a container; empty where there is none, or it is larger than such files are. */
export async function textOfFile(container: Docker.Container, path: string): Promise<string> {
  const archive = await container.getArchive({ path }).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (archive === null) return '';
  let text = '';
  const entries = extract();
  entries.on('entry', ({ type, size = 0 }, stream, next) => {
    const chunks: Buffer[] = [];
    if (type === 'file' && size <= FILE_BYTES_MAX) stream.on('data', (bytes) => void chunks.push(bytes as Buffer));
    else stream.resume();
    stream.on('end', () => {
      if (chunks.length > 0) text = Buffer.concat(chunks).toString('latin1');
      next();
    });
  });
  archive.pipe(entries);
  await once(entries, 'finish');
  return text;
}

/** Whether a container has an entry at the path. */
export async function hasEntry(container: Docker.Container, path: string): Promise<boolean> {
  return await container.infoArchive({ path }).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

export type ImageEntry = Pick<Header, 'name'> & Partial<Header> & { readonly text?: string };

/** Writes entries into a container's root. Nothing of the container runs. */
export async function putEntries(container: Docker.Container, entries: readonly ImageEntry[]): Promise<void> {
  const archive = pack();
  for (const { text, ...header } of entries) archive.entry(header, text ?? '');
  archive.finalize();
  await container.putArchive(archive as unknown as NodeJS.ReadableStream, { path: '/' });
}

/** Copies a folder of one container to the same place in another. */
export async function copyFolder(from: Docker.Container, to: Docker.Container, path: string): Promise<void> {
  const parent = path.slice(0, path.lastIndexOf('/')) || '/';
  await to.putArchive(await from.getArchive({ path }), { path: parent });
}
