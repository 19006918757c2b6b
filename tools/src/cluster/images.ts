// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GO_TOOLS } from '../go-tools/table.ts';
import { SetupError } from '../setup-error.ts';
import { PAUSE_IMAGE } from './configuration.ts';
import { fileFrom, writeImage, type ImageConfig, type ImageFile } from './oci-image.ts';

export const COREDNS_IMAGE = `writ.local/coredns:${GO_TOOLS.coredns.version}`;
export const METRICS_IMAGE = `writ.local/metrics-server:${GO_TOOLS['metrics-server'].version}`;

/** Debian's Node with its libraries, without a shell, for pods of tests. */
export const NODE_IMAGE = `writ.local/node:${process.versions.node}`;

/** An unprivileged user: PodSecurity `restricted` requires a user other than root. */
const USER = '65532:65532';

const KEY_HEX = 12;

/** An image on this machine that the node can import. */
export interface ImageArchive {
  readonly reference: string;
  /** Absolute path of its tar file. */
  readonly path: string;
  /** Digest of its manifest, as the node stores it; null where it is unknown. */
  readonly digest: string | null;
}

interface Recipe {
  readonly reference: string;
  readonly config: ImageConfig;
  readonly files: () => ImageFile[];
  /** The inputs that change the image. */
  readonly key: readonly string[];
}

/** Absolute paths in the output of `ldd`: `libm.so.6 => /lib/… (0x…)`, and the loader's line, without arrow. */
export const parseLdd = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => /(?:=>\s*|^\s*)(\/\S+) \(0x/.exec(line)?.[1])
    .filter((path) => path !== undefined);

/** A program of the machine with all its libraries, at the paths where it loads them. */
const withLibraries = (program: string, path: string): ImageFile[] => {
  const { status, stdout, stderr } = spawnSync('ldd', [program], { encoding: 'utf8' });
  if (status !== 0)
    throw new SetupError(
      `\`ldd ${program}\` failed, so the libraries of its image are not known`,
      stderr.trim().split('\n'),
    );
  return [fileFrom(program, path), ...parseLdd(stdout).map((library) => fileFrom(realpathSync(library), library))];
};

const account = (): ImageFile[] => [
  {
    path: '/etc/passwd',
    content: Buffer.from('root:x:0:0::/root:/sbin/nologin\nnonroot:x:65532:65532::/tmp:/sbin/nologin\n'),
    mode: 0o644,
  },
  { path: '/etc/group', content: Buffer.from('root:x:0:\nnonroot:x:65532:\n'), mode: 0o644 },
  { path: '/tmp', content: 'directory', mode: 0o1777 },
];

const stamp = (path: string): string => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}`;

/** A static program, and nothing else. */
const ofProgram = (reference: string, program: string): Recipe => {
  const path = `/${basename(program)}`;
  return {
    reference,
    config: { entrypoint: [path], user: USER },
    files: () => [fileFrom(program, path)],
    key: [stamp(program)],
  };
};

const recipes = (programs: { readonly pause: string; readonly coredns: string }): Recipe[] => {
  const node = realpathSync(process.execPath);
  return [
    ofProgram(PAUSE_IMAGE, programs.pause),
    ofProgram(COREDNS_IMAGE, programs.coredns),
    {
      reference: NODE_IMAGE,
      config: { entrypoint: ['/usr/local/bin/node'], user: USER, workingDir: '/tmp' },
      key: [stamp(node)],
      files: () => [...withLibraries(node, '/usr/local/bin/node'), ...account()],
    },
  ];
};

const ensureArchive = async (cacheDir: string, { reference, config, files, key }: Recipe): Promise<ImageArchive> => {
  const hash = createHash('sha256')
    .update(JSON.stringify([reference, config, key]))
    .digest('hex')
    .slice(0, KEY_HEX);
  const path = join(cacheDir, 'images', `${reference.replaceAll(/[/:]/g, '-')}-${hash}.tar`);
  const digestFile = `${path}.digest`;
  if (!existsSync(path) || !existsSync(digestFile)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(digestFile, await writeImage(path, reference, files(), config));
  }
  return { reference, path, digest: readFileSync(digestFile, 'utf8') };
};

/** The images of every node: the pause image, the name server, and a Node for tests. Builds those that are missing. */
export const ensureNodeImages = async (
  cacheDir: string,
  programs: { readonly pause: string; readonly coredns: string },
): Promise<ImageArchive[]> => {
  const archives: ImageArchive[] = [];
  for (const recipe of recipes(programs)) archives.push(await ensureArchive(cacheDir, recipe));
  return archives;
};

/** The image of metrics-server, for nodes with metrics. */
export const ensureMetricsImage = (cacheDir: string, program: string): Promise<ImageArchive> =>
  ensureArchive(cacheDir, ofProgram(METRICS_IMAGE, program));
