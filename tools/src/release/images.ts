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

/** The images of a release: the services, the sandboxes, and the bundled Postgres and NATS. */
export type ReleaseImages = Required<Images>;

/** Lines of a failed build's output for a person. */
const TAIL = 20;

/**
 * Builds the images of this checkout, in an engine that ends afterwards, and saves them as tar files. Unchanged ones
 * are reused.
 *
 * @throws SetupError with the end of the build's output
 */
export const ensureReleaseImages = async (setup: Setup): Promise<ReleaseImages> => {
  const folder = join(setup.cacheDir, 'release');
  const program = join(setup.checkout, 'tools', 'with-node.mjs');
  const args = [program, 'tools/src/images/main.ts', '--parts', '--save', folder];
  // A separate process: its own supervisor keeps and ends the engine that it starts.
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

/** containerd's names for Docker's `writ:0.1.0` or `writ-local/nats:1`. */
const inContainerd = (ref: string): string => `docker.io/${ref.includes('/') ? '' : 'library/'}${ref}`;

/** Loads the images that the node lacks. Resolves with their number. */
export const loadReleaseImages = async (setup: Setup, node: ClusterNode, images: ReleaseImages): Promise<number> => {
  // Only the engine's id identifies the image behind a name, and containerd doesn't store it.
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
