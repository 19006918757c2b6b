// SPDX-License-Identifier: Apache-2.0
//
// Writes OCI images without an engine or a registry. The same files give the same bytes.
import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync, renameSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';

/** A file of an image. Its parent folders are created. */
export interface ImageFile {
  /** Absolute path in the image. */
  readonly path: string;
  readonly content: Buffer | { readonly linkTo: string } | 'directory';
  /** Permission bits; 0755 by default. */
  readonly mode?: number;
}

export interface ImageConfig {
  readonly entrypoint: readonly string[];
  /** `UID:GID`. */
  readonly user: string;
  readonly env?: readonly string[];
  readonly workingDir?: string;
}

const EPOCH = new Date(0);
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const relative = (path: string): string => path.replace(/^\/+/, '');

/** Parent folders that are not files themselves, outermost first. */
const foldersAbove = (files: readonly ImageFile[]): ImageFile[] => {
  const own = new Set(files.map(({ path }) => relative(path)));
  const above = files.flatMap(({ path }) =>
    relative(path)
      .split('/')
      .slice(0, -1)
      .map((_, index, parts) => parts.slice(0, index + 1).join('/')),
  );
  return [...new Set(above)].filter((path) => !own.has(path)).map((path) => ({ path, content: 'directory' as const }));
};

const packed = async (add: (pack: tar.Pack) => void): Promise<Buffer> => {
  const pack = tar.pack();
  const chunks: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of pack) chunks.push(chunk as Buffer);
  })();
  add(pack);
  pack.finalize();
  await reading;
  return Buffer.concat(chunks);
};

/** A layer of these files, owned by root, in the order of their paths. */
export const layerOf = (files: readonly ImageFile[]): Promise<Buffer> =>
  packed((pack) => {
    const all = [...foldersAbove(files), ...files].toSorted((a, b) => (relative(a.path) < relative(b.path) ? -1 : 1));
    for (const { path, content, mode = 0o755 } of all) {
      const entry = { name: relative(path), mode, uid: 0, gid: 0, mtime: EPOCH };
      if (content === 'directory') pack.entry({ ...entry, name: `${entry.name}/`, type: 'directory' });
      else if (Buffer.isBuffer(content)) pack.entry({ ...entry, size: content.length }, content);
      else pack.entry({ ...entry, type: 'symlink', linkname: content.linkTo });
    }
  });

const configOf = ({ entrypoint, user, env = [], workingDir = '/' }: ImageConfig, layer: Buffer) => ({
  architecture: ARCHITECTURES[process.arch] ?? process.arch,
  os: 'linux',
  created: EPOCH.toISOString(),
  config: {
    Entrypoint: entrypoint,
    User: user,
    WorkingDir: workingDir,
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', ...env],
  },
  rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
});

/**
 * Writes an image of one layer as the tar file of an OCI layout, by rename.
 *
 * @param reference its name and tag, for example `writ.local/pause:1`
 * @returns the digest of its manifest
 */
export const writeImage = async (
  path: string,
  reference: string,
  files: readonly ImageFile[],
  config: ImageConfig,
): Promise<string> => {
  const blobs: Buffer[] = [];
  const describe = (mediaType: string, bytes: Buffer) => {
    blobs.push(bytes);
    return { mediaType, digest: digestOf(bytes), size: bytes.length };
  };
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const layer = await layerOf(files);
  const layers = [describe('application/vnd.oci.image.layer.v1.tar', layer)];
  const manifest = describe(
    MANIFEST,
    json({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: describe('application/vnd.oci.image.config.v1+json', json(configOf(config, layer))),
      layers,
    }),
  );
  const annotations = {
    'io.containerd.image.name': reference,
    'org.opencontainers.image.ref.name': reference.slice(reference.lastIndexOf(':') + 1),
  };
  const pack = tar.pack();
  const writing = pipeline(pack, createWriteStream(`${path}.new`));
  const add = (name: string, bytes: Buffer): void => {
    pack.entry({ name, size: bytes.length, mode: 0o644, mtime: EPOCH }, bytes);
  };
  add('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  add('index.json', json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }));
  for (const bytes of blobs) add(`blobs/sha256/${digestOf(bytes).slice('sha256:'.length)}`, bytes);
  pack.finalize();
  await writing;
  renameSync(`${path}.new`, path);
  return manifest.digest;
};

/** A file of the machine as a file of an image. */
export const fileFrom = (source: string, path: string, mode = 0o755): ImageFile => ({
  path,
  content: readFileSync(source),
  mode,
});
