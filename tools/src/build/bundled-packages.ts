// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The file that lists the packages of a program's bundles, in their folder. */
export const PACKAGES_FILE = 'packages.json';

/** The packages of a program. */
export interface BundledPackages {
  /** In the bundles: folders relative to the checkout. */
  readonly joined: readonly string[];
  /** External to the bundles, which import them by name at run time. Not all of them are installed. */
  readonly asked: readonly string[];
}

/** The folder of a package: the innermost one in a path. */
const FOLDER = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const unique = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/**
 * The packages that contain the files.
 *
 * @param paths of files, relative to the checkout
 */
export const packageFolders = (checkout: string, paths: Iterable<string>): string[] =>
  // A package.json without a version belongs to a part of another package.
  unique([...paths].flatMap((path) => FOLDER.exec(path)?.[1] ?? [])).filter(
    (folder) => readPackage(checkout, folder)?.version !== undefined,
  );

/** The bundler's inputs and externals. */
export const packagesOf = (checkout: string, { inputs, outputs }: Metafile): BundledPackages => {
  const asked = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  return {
    joined: packageFolders(checkout, Object.keys(inputs)),
    asked: unique(asked.filter((path) => !isBuiltin(path)).map(packageOf)),
  };
};

/** The used fields of a package.json. */
export interface PackageFile {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The package.json of a folder, or undefined where it has none. */
export const readPackage = (checkout: string, folder: string): PackageFile | undefined => {
  try {
    return JSON.parse(readFileSync(join(checkout, folder, 'package.json'), 'utf8')) as PackageFile;
  } catch {
    return undefined;
  }
};
