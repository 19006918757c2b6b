// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** The encodings for which a build may have compressed files beside its files, best first, with their extensions. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof ENCODINGS;

/** A static file, as it is served. */
export interface ListedFile {
  /** absolute */
  readonly path: string;
  readonly type: string;
  /** whether its name has the hash of its content, so that its content never changes */
  readonly isHashed: boolean;
  /** absolute paths of the same content, compressed; best encoding first */
  readonly encoded: ReadonlyMap<Encoding, string>;
}

/** The files by their path below the root, with `/` as separator. */
export type ListedFiles = ReadonlyMap<string, ListedFile>;

/** The file types that builds produce for browsers; other files aren't served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};

/**
 * Lists the files of a folder. Empty where the folder is missing: a service runs without what wasn't built. It omits
 * files that are reached through a link out of the folder.
 */
export function listFiles(folder: string): ListedFiles {
  if (!existsSync(folder)) return new Map();
  const root = `${realpathSync(folder)}${sep}`;
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => realpathSync(path).startsWith(root));
  const inside = new Set(paths);
  return new Map(
    paths.flatMap((path): [string, ListedFile][] => {
      const type = TYPES[extname(path)];
      if (type === undefined) return [];
      const below = relative(folder, path).split(sep).join('/');
      return [[below, { path, type, isHashed: below.startsWith('assets/'), encoded: encodedOf(path, inside) }]];
    }),
  );
}

const encodedOf = (path: string, inside: ReadonlySet<string>): ReadonlyMap<Encoding, string> =>
  new Map(
    (Object.entries(ENCODINGS) as [Encoding, string][])
      .map(([encoding, extension]): [Encoding, string] => [encoding, `${path}${extension}`])
      .filter(([, encoded]) => inside.has(encoded)),
  );
