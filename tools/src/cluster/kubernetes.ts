// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linkerFlags } from '../go-tools/ensure.ts';
import { KUBERNETES_VERSION } from '../go-tools/table.ts';
import { verifyFreeSpace, withGoWorkspace, type GoOptions, type GoWorkspace } from '../go-tools/workspace.ts';
import {
  KUBERNETES_MODULE,
  KUBERNETES_PROGRAMS,
  kubernetesGoMod,
  kubernetesVariables,
  type KubernetesProgram,
} from './kubernetes-module.ts';

/** Absolute paths of Kubernetes' programs. */
export type KubernetesPrograms = Readonly<Record<KubernetesProgram | 'pause', string>>;

/** Twice the maximum of modules, compiled packages and programs. Only the programs stay after the build. */
const BUILD_BYTES = 10 * 1024 ** 3;

const KEY_HEX = 12;
const PAUSE = join(import.meta.dirname, 'pause');
const PAUSE_FILES = ['go.mod', 'main.go'];
const PROGRAMS = [...KUBERNETES_PROGRAMS, 'pause'] as const;

const flags = linkerFlags(kubernetesVariables(KUBERNETES_VERSION));

const directoryOf = (cacheDir: string): string => {
  const hash = createHash('sha256').update(JSON.stringify([flags, PROGRAMS, process.arch]));
  for (const name of PAUSE_FILES) hash.update(readFileSync(join(PAUSE, name)));
  return join(cacheDir, 'kubernetes', `${KUBERNETES_VERSION}-${hash.digest('hex').slice(0, KEY_HEX)}`);
};

const writeModule = ({ dir, read }: GoWorkspace): string => {
  const described = read('fetch the module of Kubernetes', [
    'mod',
    'download',
    '-json',
    `${KUBERNETES_MODULE}@v${KUBERNETES_VERSION}`,
  ]);
  const upstream = (JSON.parse(described) as { Dir: string }).Dir;
  const module = join(dir, 'kubernetes');
  mkdirSync(module);
  writeFileSync(
    join(module, 'go.mod'),
    kubernetesGoMod(readFileSync(join(upstream, 'go.mod'), 'utf8'), KUBERNETES_VERSION),
  );
  // Upstream's pinned versions stay; the checksum database verifies its own parts.
  writeFileSync(join(module, 'go.sum'), readFileSync(join(upstream, 'go.sum')));
  return module;
};

const buildPrograms = async (workspace: GoWorkspace, report: GoOptions['report']): Promise<string> => {
  const bin = join(workspace.dir, 'bin');
  report('fetching modules');
  const module = writeModule(workspace);
  const packages = KUBERNETES_PROGRAMS.map((name) => `${KUBERNETES_MODULE}/cmd/${name}`);
  const build = (out: string, ...args: string[]): string[] => [
    'build',
    '-v',
    '-trimpath',
    '-ldflags',
    flags,
    '-o',
    out,
    ...args,
  ];
  await workspace.go(`build Kubernetes ${KUBERNETES_VERSION}`, build(`${bin}/`, '-mod=mod', ...packages), {
    cwd: module,
  });
  cpSync(PAUSE, join(workspace.dir, 'pause'), { recursive: true });
  await workspace.go('build the first process of pods', build(join(bin, 'pause'), '.'), {
    cwd: join(workspace.dir, 'pause'),
  });
  return bin;
};

/**
 * The programs of Kubernetes. Builds missing ones from its published module, in some ten minutes on two processors.
 *
 * @throws SetupError where Go is missing, a module can't be downloaded, the build fails, or less than 10 GiB are free
 */
export const ensureKubernetes = async (options: GoOptions): Promise<KubernetesPrograms> => {
  const dir = directoryOf(options.cacheDir);
  if (!existsSync(dir)) {
    mkdirSync(dirname(dir), { recursive: true });
    verifyFreeSpace(options, BUILD_BYTES, `building Kubernetes ${KUBERNETES_VERSION}`);
    await withGoWorkspace(options, `to build Kubernetes ${KUBERNETES_VERSION}`, async (workspace) => {
      const bin = await buildPrograms(workspace, options.report);
      rmSync(dir, { recursive: true, force: true });
      renameSync(bin, dir);
    });
  }
  return Object.fromEntries(PROGRAMS.map((name) => [name, join(dir, name)])) as KubernetesPrograms;
};
