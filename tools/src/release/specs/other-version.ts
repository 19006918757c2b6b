// SPDX-License-Identifier: Apache-2.0
// Another version of everything, for upgrade tests: the sources of a commit, or of this checkout, with another version
// and an additional migration.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadImages, type ClusterNode } from '../../cluster/node.ts';
import { checkout, defaultStateDir } from '../../setup.ts';
import type { BuiltImage } from '../../images/index.ts';
import type { InstalledImages } from '../release.ts';

/** The inputs of the build. */
export interface VersionOptions {
  readonly version: string;
  /** A commit of this repository; the present sources by default. */
  readonly commit?: string;
  /** A migration of the kernel, which only adds. */
  readonly migration?: { readonly name: string; readonly sql: string };
}

/** An installable version of a release. */
export interface OtherVersion {
  /** The package of the chart. */
  readonly chart: string;
  /** The values `small` of that version. */
  readonly valuesFile: string;
  readonly images: Pick<InstalledImages, 'writ' | 'sandbox'>;
  /** Removes its build files. */
  readonly remove: () => void;
}

const BUILD_MS = 15 * 60_000;

const must = (cwd: string, [program = '', ...args]: readonly string[], input?: Buffer): Buffer => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    timeout: BUILD_MS,
    maxBuffer: 1024 ** 3,
    // The engine and the base images are those of this checkout.
    env: { ...process.env, WRIT_STATE_DIR: defaultStateDir(process.env), NX_DAEMON: 'false' },
    ...(input === undefined ? {} : { input }),
  });
  if (status !== 0)
    throw new Error(
      `\`${program} ${args.join(' ')}\` ended with ${String(status)}:\n${stdout.toString()}${stderr.toString()}`,
    );
  return stdout;
};

/** Whether a clone has the commit: a shallow one may not. */
export const hasCommit = (commit: string): boolean =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: checkout }).status === 0;

/** The files of a commit, or the present files of the git index. */
const sourcesOf = (commit: string | undefined): Buffer => {
  if (commit !== undefined) return must(checkout, ['git', 'archive', '--format=tar', commit]);
  const files = must(checkout, ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const present = Buffer.from(
    files
      .toString()
      .split('\0')
      .filter((file) => file !== '' && existsSync(join(checkout, file)))
      .join('\0'),
  );
  return must(checkout, ['tar', '--create', '--null', '--files-from=-'], present);
};

const replaceIn = (file: string, from: RegExp, to: string): void => {
  const text = readFileSync(file, 'utf8');
  const next = text.replace(from, to);
  if (next === text) throw new Error(`${file} has no version as it is looked for`);
  writeFileSync(file, next);
};

const setVersion = (folder: string, version: string): void => {
  replaceIn(join(folder, 'package.json'), /"version": "[^"]+"/, `"version": "${version}"`);
  replaceIn(join(folder, 'libs/nest-kit/src/version.ts'), /VERSION = '[^']+'/, `VERSION = '${version}'`);
  replaceIn(
    join(folder, 'helm/writ/Chart.yaml'),
    /^version: .+\nappVersion: .+$/m,
    `version: ${version}\nappVersion: ${version}`,
  );
};

/** A line of `npm run images`: `writ:0.1.0  232 MB  sha256:…  /path/writ-0.1.0.tar (238 MB)`. */
const parseImage = (output: string, name: string): BuiltImage => {
  const [, ref = '', id = '', tar = ''] =
    new RegExp(`^(${name}:\\S+)\\s+\\d+ MB\\s+(sha256:\\S+)\\s+(\\S+\\.tar) `, 'm').exec(output) ?? [];
  if (tar === '') throw new Error(`\`npm run images\` named no ${name}:\n${output}`);
  return { ref, id, tar };
};

const makeVersionIn = async (
  folder: string,
  node: ClusterNode,
  helm: string,
  { version, commit, migration }: VersionOptions,
): Promise<Omit<OtherVersion, 'remove'>> => {
  must(folder, ['tar', '--extract', '--file=-'], sourcesOf(commit));
  // Dependencies are hard links to this checkout's, so the version must have the same.
  must(checkout, ['cp', '--archive', '--link', 'node_modules', folder]);
  setVersion(folder, version);
  if (migration !== undefined) {
    const place = join(folder, 'apps/kernel/sql/migrations');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${migration.name}.sql`), migration.sql);
  }
  const out = join(folder, 'out');
  const output = must(folder, ['npm', 'run', '--silent', 'images', '--', '--save', out]).toString();
  const images = { writ: parseImage(output, 'writ'), sandbox: parseImage(output, 'writ-sandbox') };
  await loadImages(node, [images.writ.tar as string, images.sandbox.tar as string]);
  const packaged = must(folder, [helm, 'package', 'helm/writ', '--destination', out]).toString();
  const valuesFile = join(out, 'small-values.yaml');
  cpSync(join(folder, 'helm/writ/ci/small-values.yaml'), valuesFile);
  return { chart: /saved it to: (\S+)/.exec(packaged)?.[1] ?? '', valuesFile, images };
};

/** Builds a version and loads it into the node, in some minutes. Its folder of some GB is gone when that fails. */
export const makeVersion = async (node: ClusterNode, helm: string, options: VersionOptions): Promise<OtherVersion> => {
  const folder = mkdtempSync(join(tmpdir(), 'writ-version-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    return { ...(await makeVersionIn(folder, node, helm, options)), remove };
  } catch (error) {
    remove();
    throw error;
  }
};
