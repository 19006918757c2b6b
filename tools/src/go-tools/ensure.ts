// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GO_TOOLS, type GoTool, type GoToolName } from './table.ts';
import { verifyFreeSpace, withGoWorkspace, type GoOptions, type GoWorkspace } from './workspace.ts';

/** Characters that distinguish versions of a row. */
const KEY_HEX = 12;

/** Disk space in bytes: the largest program, with its modules and caches, needs about four GiB. */
const BUILD_BYTES = 6 * 1024 ** 3;

/** No symbol table and no debugging data: half the size. */
const STRIPPED = '-s -w';

/** The linker's flags: smaller programs, and the variables of the row. */
export const linkerFlags = (variables: Readonly<Record<string, string>> = {}): string =>
  [STRIPPED, ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)].join(' ');

/** An id of a program, from all inputs of its build. */
const keyOf = (tool: GoTool): string =>
  createHash('sha256')
    .update(JSON.stringify([tool.package, tool.version, linkerFlags(tool.variables), process.arch]))
    .digest('hex')
    .slice(0, KEY_HEX);

/** The path of a built program. Its folder is named by the content of its row. */
export const goToolPath = (cacheDir: string, name: string, tool: GoTool): string =>
  join(cacheDir, 'go-tools', `${name}-${tool.version}-${keyOf(tool)}`, name);

const buildTool = async ({ dir, go }: GoWorkspace, name: string, tool: GoTool, path: string): Promise<void> => {
  const bin = join(dir, 'bin', name);
  mkdirSync(bin, { recursive: true });
  const args = [
    'install',
    '-v',
    '-trimpath',
    '-ldflags',
    linkerFlags(tool.variables),
    `${tool.package}@${tool.version}`,
  ];
  await go(`build ${name} ${tool.version}, which is needed ${tool.why}`, args, { env: { GOBIN: bin } });
  // By rename, so that no reader finds an incomplete program. Another process may have been faster with the same one.
  rmSync(join(path, '..'), { recursive: true, force: true });
  mkdirSync(join(path, '..', '..'), { recursive: true });
  renameSync(bin, join(path, '..'));
};

/**
 * Builds the missing programs, one after another; shared packages are compiled once.
 *
 * @returns the absolute path of each
 * @throws SetupError where Go is missing or too old, a module can't be downloaded, a build fails, or the disk is too
 * full
 */
export const ensureGoTools = async <N extends GoToolName>(
  names: readonly N[],
  options: GoOptions,
): Promise<Readonly<Record<N, string>>> => {
  const all = names.map((name) => ({
    name,
    tool: GO_TOOLS[name] as GoTool,
    path: goToolPath(options.cacheDir, name, GO_TOOLS[name]),
  }));
  const missing = all.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) {
    mkdirSync(options.cacheDir, { recursive: true });
    verifyFreeSpace(options, BUILD_BYTES, `building ${missing.map(({ name }) => name).join(', ')}`);
    await withGoWorkspace(options, `to build ${missing.map(({ name }) => name).join(', ')}`, async (workspace) => {
      for (const { name, tool, path } of missing) {
        options.report(`building ${name} ${tool.version}`);
        await buildTool(workspace, name, tool, path);
      }
    });
  }
  return Object.fromEntries(all.map(({ name, path }) => [name, path])) as Record<N, string>;
};

/** Builds one program, with the same options and errors. */
export const ensureGoTool = async (name: GoToolName, options: GoOptions): Promise<string> =>
  (await ensureGoTools([name], options))[name];
