// SPDX-License-Identifier: Apache-2.0
//
// Which packages of the checkout the programs need beside their bundles, and which files of them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PACKAGES_FILE, readPackage, type BundledPackages } from '../build/bundled-packages.ts';
import { PROGRAMS, serviceProgram } from '../build/bundle-services.ts';
import { SetupError } from '../setup-error.ts';
import { sitePackages } from '../site/build-site.ts';

/** A package that the image holds. */
export interface RuntimePackage {
  /** relative to the checkout: where it lies there is where it lies in the image */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

/** Asked for by names that a bundler doesn't see: their modules are loaded or read as files while a program runs. */
const LOADED_BY_NAME = [
  'sodium-native',
  'web-tree-sitter',
  'tree-sitter-bash',
  'tree-sitter-powershell',
  'libpg-query',
  'node-sql-parser',
  '@cedar-policy/cedar-wasm',
  // The pages of the API's documentation.
  'swagger-ui-dist',
];

/** Read for one file of WebAssembly: what they depend on builds their native form. */
const WITHOUT_DEPENDENCIES = new Set(['tree-sitter-bash', 'tree-sitter-powershell']);

/**
 * Asked for or depended on, and never run. Nest uses the first two in pipes and interceptors, and Writ has none. `ssh2`
 * has its own way without the two that are compiled where they are installed, and the last one only counts
 * installations.
 */
const UNUSED = new Set(['class-transformer', 'class-validator', 'cpu-features', 'nan', '@scarf/scarf']);
const isTypes = (name: string): boolean => name.startsWith('@types/') || name === 'undici-types';

/** Of packages with much more: what a program reads. Paths relative to the package, by their beginning. */
const PARTS: Readonly<Record<string, RegExp>> = {
  'tree-sitter-bash': /^tree-sitter-bash\.wasm$/,
  'tree-sitter-powershell': /^tree-sitter-powershell\.wasm$/,
  'web-tree-sitter': /^web-tree-sitter\.(?:js|cjs|wasm)$/,
  'swagger-ui-dist':
    /^(?:absolute-path|index|swagger-(?:initializer|ui|ui-bundle|ui-standalone-preset))\.(?:js|css|html)$|\.png$/,
  'node-sql-parser': /^build\/[^/]+\.js$/,
  '@cedar-policy/cedar-wasm': /^nodejs\//,
};

/** What no program reads: declarations, maps, documents. Licences stay. */
const LEFT_OUT = [
  /\.(?:d\.[cm]?ts|[cm]?ts|map|md|markdown|c|cc|h|gyp|bare|tsbuildinfo)$/i,
  /(?:^|\/)(?:tests?|docs|examples?|benchmarks?|\.github)\//i,
];
const KEPT = /^package\.json$|(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
const PREBUILD = /^prebuilds\/([^/]+)\//;

/** Answers whether the image holds a file of a package, on Linux with this processor. */
export const isKept = (name: string, path: string, platform = `linux-${process.arch}`): boolean => {
  if (KEPT.test(path)) return true;
  const part = PARTS[name];
  if (part !== undefined) return part.test(path);
  return !LEFT_OUT.some((pattern) => pattern.test(path)) && (PREBUILD.exec(path)?.[1] ?? platform) === platform;
};

/** The folder that a package finds another in, as Node.js does; undefined where it isn't installed. */
const resolveFrom = (checkout: string, from: string, name: string): string | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder === '.' ? '' : folder, 'node_modules', name);
    if (existsSync(join(checkout, found, 'package.json'))) return found;
    if (folder === '.' || folder === '/') return undefined;
  }
};

/** The packages of all programs' bundles and of the documentation site, as `npm run build` left them. */
export const bundledPackages = (checkout: string): BundledPackages => {
  const all = PROGRAMS.map((program) => {
    const file = join(dirname(serviceProgram(checkout, program)), PACKAGES_FILE);
    if (!existsSync(file)) throw new SetupError(`\`${file}\` is missing: run \`npm run build\``);
    return JSON.parse(readFileSync(file, 'utf8')) as BundledPackages;
  });
  // The documentation site's scripts are a bundle like the others.
  const joined = new Set([...all.flatMap((packages) => packages.joined), ...sitePackages(checkout)]);
  const asked = new Set(all.flatMap((packages) => packages.asked));
  return { joined: [...joined].sort(), asked: [...asked].sort() };
};

/** A package of the checkout. */
export const packageAt = (checkout: string, folder: string): RuntimePackage => {
  const { name = folder, version = '', license } = readPackage(checkout, folder) ?? {};
  return { folder, name, version, license: typeof license === 'string' ? license : undefined };
};

/**
 * The packages that lie beside the bundles in the image: those that are asked for and installed, and what they depend
 * on.
 */
export const runtimePackages = (checkout: string): readonly RuntimePackage[] => {
  const { asked } = bundledPackages(checkout);
  const found = new Map<string, RuntimePackage>();
  const add = (from: string, name: string): boolean => {
    const folder = resolveFrom(checkout, from, name);
    if (folder === undefined) return false;
    if (found.has(folder)) return true;
    const { dependencies = {}, optionalDependencies = {} } = readPackage(checkout, folder) ?? {};
    found.set(folder, packageAt(checkout, folder));
    if (WITHOUT_DEPENDENCIES.has(name)) return true;
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (UNUSED.has(dependency) || isTypes(dependency)) continue;
      if (!add(folder, dependency) && optionalDependencies[dependency] === undefined) {
        throw new SetupError(`\`${name}\` needs \`${dependency}\`, which is not installed: run \`npm ci\``);
      }
    }
    return true;
  };
  for (const name of LOADED_BY_NAME)
    if (!add('.', name)) throw new SetupError(`\`${name}\` is not installed: run \`npm ci\``);
  // The others are asked for where they are installed.
  for (const name of asked.filter((each) => !UNUSED.has(each))) add('.', name);
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
};
