// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadImages, type ClusterNode } from '../cluster/node.ts';
import { clusterPaths } from '../cluster/paths.ts';
import type { Images, BuiltImage } from '../images/index.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';

/** What a release consists of: the services, the sandboxes, and the bundled Postgres and NATS. */
export type ReleaseImages = Required<Images>;

/** Lines of a build that failed which a person is shown. */
const TAIL = 20;

/**
 * Builds the images of this checkout, in an engine that ends afterwards, and saves them as tar files. What hasn't
 * changed is found again.
 *
 * @throws SetupError with the end of what the build said
 */
export const ensureReleaseImages = async (setup: Setup): Promise<ReleaseImages> => {
  const folder = join(setup.cacheDir, 'release');
  const program = join(setup.checkout, 'tools', 'with-node.mjs');
  const args = [program, 'tools/src/images/main.ts', '--parts', '--save', folder];
  // A process of its own: the engine that it starts is kept and ended by its own supervisor.
  const child = spawn(process.execPath, args, {
    cwd: setup.checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...setup.env, [MARK]: undefined },
  });
  const tail: string[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      setup.report(line);
      tail.push(line);
      if (tail.length > TAIL) tail.shift();
    });
  const stop = (): boolean => child.kill('SIGTERM');
  process.once('exit', stop);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  process.removeListener('exit', stop);
  if (status !== 0) throw new SetupError(`the images can't be built: \`npm run images\` ended with ${status}`, tail);
  return JSON.parse(readFileSync(join(folder, 'images.json'), 'utf8')) as ReleaseImages;
};

const listOf = ({ writ, sandbox, parts }: ReleaseImages): BuiltImage[] => [writ, sandbox, parts.postgres, parts.nats];

/** As containerd names what Docker calls `writ:0.1.0` or `writ-local/nats:1`. */
const inContainerd = (ref: string): string => `docker.io/${ref.includes('/') ? '' : 'library/'}${ref}`;

/** Loads those of the images into a node that it doesn't have. Resolves with how many those were. */
export const loadReleaseImages = async (setup: Setup, node: ClusterNode, images: ReleaseImages): Promise<number> => {
  // Which image lies under a name is known by the engine's id alone, which containerd doesn't keep.
  const file = join(clusterPaths(setup.stateDir).images, 'loaded.json');
  const loaded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  const present = await node.references();
  const missing = listOf(images).filter(({ ref, id }) => loaded[ref] !== id || !present.includes(inContainerd(ref)));
  for (const { ref, id, tar } of missing) {
    await loadImages(node, [tar as string], setup.report);
    loaded[ref] = id;
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, JSON.stringify(loaded));
  }
  return missing.length;
};
