// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GO_TOOLS, type GoTool, type GoToolName } from './table.ts';
import { verifyFreeSpace, withGoWorkspace, type GoOptions, type GoWorkspace } from './workspace.ts';

/** Enough to tell versions of a row apart. */
const KEY_HEX = 12;

/** The largest of them, with its modules and caches, takes about four. */
const BUILD_BYTES = 6 * 1024 ** 3;

/** No symbol table and no debugging data: half the size. */
const STRIPPED = '-s -w';

/** What the linker is told: smaller programs, and the variables of the row. */
export const linkerFlags = (variables: Readonly<Record<string, string>> = {}): string =>
  [STRIPPED, ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)].join(' ');

/** Names a program by everything that its build depends on. */
const keyOf = (tool: GoTool): string =>
  createHash('sha256').update(JSON.stringify([tool.package, tool.version, linkerFlags(tool.variables), process.arch])).digest('hex').slice(0, KEY_HEX);

/** Where a program lies once it is built. Its folder is named by the content of its row. */
export const goToolPath = (cacheDir: string, name: string, tool: GoTool): string =>
  join(cacheDir, 'go-tools', `${name}-${tool.version}-${keyOf(tool)}`, name);

const buildTool = async ({ dir, go }: GoWorkspace, name: string, tool: GoTool, path: string): Promise<void> => {
  const bin = join(dir, 'bin', name);
  mkdirSync(bin, { recursive: true });
  const args = ['install', '-v', '-trimpath', '-ldflags', linkerFlags(tool.variables), `${tool.package}@${tool.version}`];
  await go(`build ${name} ${tool.version}, which is needed ${tool.why}`, args, { env: { GOBIN: bin } });
  // By rename, so that a reader never finds half a program. Another process may have been quicker with the same one.
  rmSync(join(path, '..'), { recursive: true, force: true });
  mkdirSync(join(path, '..', '..'), { recursive: true });
  renameSync(bin, join(path, '..'));
};

/**
 * Builds those of the programs that aren't there yet, one after the other, with what they share compiled once.
 *
 * @returns the absolute path of each
 * @throws SetupError where Go is missing or too old, a module can't be had, a build fails, or the disk is too full
 */
export const ensureGoTools = async <N extends GoToolName>(names: readonly N[], options: GoOptions): Promise<Readonly<Record<N, string>>> => {
  const all = names.map((name) => ({ name, tool: GO_TOOLS[name] as GoTool, path: goToolPath(options.cacheDir, name, GO_TOOLS[name]) }));
  const missing = all.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) {
    mkdirSync(options.cacheDir, { recursive: true });
    verifyFreeSpace(options.cacheDir, BUILD_BYTES, `building ${missing.map(({ name }) => name).join(', ')}`);
    await withGoWorkspace(options, `to build ${missing.map(({ name }) => name).join(', ')}`, async (workspace) => {
      for (const { name, tool, path } of missing) {
        options.report(`building ${name} ${tool.version}`);
        await buildTool(workspace, name, tool, path);
      }
    });
  }
  return Object.fromEntries(all.map(({ name, path }) => [name, path])) as Record<N, string>;
};

/** One of them. Takes the same options and throws the same errors. */
export const ensureGoTool = async (name: GoToolName, options: GoOptions): Promise<string> => (await ensureGoTools([name], options))[name];
