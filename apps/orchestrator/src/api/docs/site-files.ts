// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** A file of the site, as it is served. */
export interface SiteFile {
  /** absolute */
  readonly path: string;
  readonly type: string;
  /** changes with the file's size and time */
  readonly tag: string;
  /** whether its name has the hash of its content, so that its content never changes */
  readonly isHashed: boolean;
}

/** The files by their path below the site's root, with `/` as separator. */
export type SiteFiles = ReadonlyMap<string, SiteFile>;

/** The file types that the site generator produces; other files aren't served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/**
 * Lists the files of a site. Empty where the folder is missing: a service runs without its documentation. It omits
 * files that are reached through a link out of the folder.
 */
export function listSiteFiles(folder: string): SiteFiles {
  if (!existsSync(folder)) return new Map();
  const root = `${realpathSync(folder)}${sep}`;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.flatMap(({ name, parentPath }): [string, SiteFile][] => {
      const [path, type] = [join(parentPath, name), TYPES[extname(name)]];
      if (type === undefined || !realpathSync(path).startsWith(root)) return [];
      const { size, mtimeMs } = statSync(path);
      const sitePath = relative(folder, path).split(sep).join('/');
      const tag = `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
      return [[sitePath, { path, type, tag, isHashed: sitePath.startsWith('assets/') }]];
    }),
  );
}
