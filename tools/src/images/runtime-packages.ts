// SPDX-License-Identifier: Apache-2.0
//
// The packages of the checkout that the programs need beside their bundles, and the needed files of them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PACKAGES_FILE, readPackage, type BundledPackages } from '../build/bundled-packages.ts';
import { PROGRAMS, serviceProgram } from '../build/bundle-services.ts';
import { SetupError } from '../setup-error.ts';
import { sitePackages } from '../site/build-site.ts';

/** A package in the image. */
export interface RuntimePackage {
  /** relative to the checkout, and the same in the image */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

/** Packages with modules that a bundler can't see: they are loaded or read as files at run time. */
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

/** Needed for one WebAssembly file: their dependencies build the native form. */
const WITHOUT_DEPENDENCIES = new Set(['tree-sitter-bash', 'tree-sitter-powershell']);

/**
 * Dependencies that never run. Nest uses the first two in pipes and interceptors, of which Writ has none. `ssh2` works
 * without the two native modules. `@scarf/scarf` only counts installations. The last two are of the script that
 * downloads libraries for graphics cards, which never runs.
 */
const UNUSED = new Set([
  'class-transformer',
  'class-validator',
  'cpu-features',
  'nan',
  '@scarf/scarf',
  'adm-zip',
  'global-agent',
]);
const isTypes = (name: string): boolean => name.startsWith('@types/') || name === 'undici-types';

/** For large packages: the files that a program reads. Prefixes of paths relative to the package. */
const PARTS: Readonly<Record<string, RegExp>> = {
  'tree-sitter-bash': /^tree-sitter-bash\.wasm$/,
  'tree-sitter-powershell': /^tree-sitter-powershell\.wasm$/,
  'web-tree-sitter': /^web-tree-sitter\.(?:js|cjs|wasm)$/,
  'swagger-ui-dist':
    /^(?:absolute-path|index|swagger-(?:initializer|ui|ui-bundle|ui-standalone-preset))\.(?:js|css|html)$|\.png$/,
  'onnxruntime-node': new RegExp(`^dist/.*\\.js$|^bin/napi-v\\d+/linux/${process.arch}/`),
  'node-sql-parser': /^build\/[^/]+\.js$/,
  '@cedar-policy/cedar-wasm': /^nodejs\//,
};

/** Files that no program reads: declarations, maps, documents. Licences stay. */
const LEFT_OUT = [
  /\.(?:d\.[cm]?ts|[cm]?ts|map|md|markdown|c|cc|h|gyp|bare|tsbuildinfo)$/i,
  /(?:^|\/)(?:tests?|docs|examples?|benchmarks?|\.github)\//i,
];
const KEPT = /^package\.json$|(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
const PREBUILD = /^prebuilds\/([^/]+)\//;

/** Whether the image has a file of a package, on Linux with this processor. */
export const isKept = (name: string, path: string, platform = `linux-${process.arch}`): boolean => {
  if (KEPT.test(path)) return true;
  const part = PARTS[name];
  if (part !== undefined) return part.test(path);
  return !LEFT_OUT.some((pattern) => pattern.test(path)) && (PREBUILD.exec(path)?.[1] ?? platform) === platform;
};

/** The folder where a package finds another one, by Node.js' rules; undefined where it isn't installed. */
const resolveFrom = (checkout: string, from: string, name: string): string | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder === '.' ? '' : folder, 'node_modules', name);
    if (existsSync(join(checkout, found, 'package.json'))) return found;
    if (folder === '.' || folder === '/') return undefined;
  }
};

/** The packages of all programs' bundles and of the documentation site, from the output of `npm run build`. */
export const bundledPackages = (checkout: string): BundledPackages => {
  const all = PROGRAMS.map((program) => {
    const file = join(dirname(serviceProgram(checkout, program)), PACKAGES_FILE);
    if (!existsSync(file)) throw new SetupError(`\`${file}\` is missing: run \`npm run build\``);
    return JSON.parse(readFileSync(file, 'utf8')) as BundledPackages;
  });
  // The documentation site's scripts are a bundle too.
  const joined = new Set([...all.flatMap((packages) => packages.joined), ...sitePackages(checkout)]);
  const asked = new Set(all.flatMap((packages) => packages.asked));
  return { joined: [...joined].sort(), asked: [...asked].sort() };
};

/** A package of the checkout. */
export const packageAt = (checkout: string, folder: string): RuntimePackage => {
  const { name = folder, version = '', license } = readPackage(checkout, folder) ?? {};
  return { folder, name, version, license: typeof license === 'string' ? license : undefined };
};

/** The packages beside the bundles in the image: the installed externals, and their dependencies. */
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
  // The other externals are used only where they are installed.
  for (const name of asked.filter((each) => !UNUSED.has(each))) add('.', name);
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
};
