// SPDX-License-Identifier: Apache-2.0
import { enter, NODE_ENVIRONMENT } from './namespaces.ts';
import type { ImageArchive } from './images.ts';
import { IN_NODE } from './paths.ts';
import { mustRun, runCommand } from './run-command.ts';

/** A node's containerd: the process that holds the node's namespaces, and the client program. */
export interface ContainerdPlace {
  readonly holderPid: number;
  /** Absolute path of `ctr`. */
  readonly ctr: string;
}

/** An image of half a gigabyte takes a minute on a slow disk. */
const IMPORT_MS = 10 * 60_000;
const ASK_MS = 10_000;

const ctr = ({ holderPid, ctr: program }: ContainerdPlace, ...args: string[]): string[] => [
  ...enter(holderPid),
  program,
  '--address',
  IN_NODE.containerdSocket,
  '--namespace',
  'k8s.io',
  ...args,
];

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export const containerdAnswers = async (place: ContainerdPlace): Promise<boolean> =>
  (await runCommand(ctr(place, 'version'), { env: NODE_ENVIRONMENT, timeoutMs: ASK_MS })).status === 0;

/** Names and tags in the output of `ctr images import`. */
export const parseImported = (text: string): string[] =>
  linesOf(text).flatMap((line) => /^unpacking (\S+) \(/.exec(line)?.[1] ?? []);

/** Manifest digests by reference, in the table of `ctr images ls`. */
export const parseImages = (text: string): Map<string, string> =>
  new Map(
    linesOf(text)
      .slice(1)
      .map((line) => line.split(/\s+/))
      .map(([reference = '', , digest = '']) => [reference, digest]),
  );

/**
 * Imports a tar file of `docker save`, or one with an OCI layout.
 *
 * @returns the references of its images for pods
 */
export const importImage = async (place: ContainerdPlace, path: string): Promise<string[]> =>
  parseImported(
    await mustRun(`import the images of ${path}`, ctr(place, 'images', 'import', '-'), {
      env: NODE_ENVIRONMENT,
      inputFile: path,
      timeoutMs: IMPORT_MS,
    }),
  );

/** Manifest digests of a node's images, by reference. */
export const listImages = async (place: ContainerdPlace): Promise<Map<string, string>> =>
  parseImages(
    await mustRun('list the images of the node', ctr(place, 'images', 'ls'), {
      env: NODE_ENVIRONMENT,
      timeoutMs: ASK_MS,
    }),
  );

/** Imports the images that the node lacks. */
export const importMissing = async (place: ContainerdPlace, archives: readonly ImageArchive[]): Promise<void> => {
  const present = await listImages(place);
  for (const { reference, digest, path } of archives)
    if (digest === null || present.get(reference) !== digest) await importImage(place, path);
};

/** Removes all containers, with dead or living processes, and keeps the images. Resolves to whether none is left. */
export const removeContainers = async (place: ContainerdPlace): Promise<boolean> => {
  const run = (...args: string[]) => runCommand(ctr(place, ...args), { env: NODE_ENVIRONMENT, timeoutMs: ASK_MS });
  const list = async (...args: string[]): Promise<string[]> => linesOf((await run(...args)).stdout);
  const tasks = await list('tasks', 'ls', '--quiet');
  if (tasks.length > 0) await run('tasks', 'rm', '--force', ...tasks);
  const containers = await list('containers', 'ls', '--quiet');
  if (containers.length > 0) await run('containers', 'rm', ...containers);
  const { status, stdout } = await run('containers', 'ls', '--quiet');
  return status === 0 && linesOf(stdout).length === 0;
};
