// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSandboxImage } from '@writ/sandbox-docker';
import type Docker from 'dockerode';
import { npmPackage } from '../parts/npm-package.ts';
import { agentBundle, interpreterBundle } from '../build/bundle-agent.ts';
import { ensureBase } from '../parts/image-base.ts';
import type { Setup } from '../setup.ts';
import { saveImage } from './engine-build.ts';
import { buildTrialParts, type TrialParts } from './trial-parts.ts';
import { readRelease } from './release.ts';
import { buildWritImage, type BuiltImage, type WritImage } from './writ-image.ts';

export type { TrialParts } from './trial-parts.ts';
export type { BuiltImage, WritImage } from './writ-image.ts';

export interface ImagesOptions {
  /** a folder for tar files of both images; none are written without it */
  readonly save?: string;
  /** the base image for the services; a minimal Debian by default */
  readonly base?: string;
  /** builds every step again */
  readonly fresh?: boolean;
  /** also builds Postgres and NATS from Debian's packages */
  readonly parts?: boolean;
}

export interface Images {
  readonly writ: WritImage;
  readonly sandbox: BuiltImage;
  /** only on request */
  readonly parts?: TrialParts;
}

/**
 * Builds `writ:<version>` and `writ-sandbox:<version>` from the output of `npm run build`, and the requested others.
 *
 * @throws SetupError
 */
export const buildImages = async (
  setup: Setup,
  docker: Docker,
  { save, base, fresh, parts: withParts }: ImagesOptions = {},
): Promise<Images> => {
  const release = readRelease(setup);
  const out = join(setup.cacheDir, 'images');
  const writ = await buildWritImage(setup, { docker, release, ref: `writ:${release.version}`, base, out, fresh });
  setup.report('the sandbox image');
  const built = await buildSandboxImage({
    docker,
    base: await ensureBase(setup, docker),
    reference: `writ-sandbox:${release.version}`,
    nodeBinaryPath: realpathSync(process.execPath),
    npmPath: npmPackage(setup.checkout),
    agentBundlePath: agentBundle(setup.checkout),
    interpreterBundlePath: interpreterBundle(setup.checkout),
  });
  const sandbox = { ref: built.reference, id: built.digest };
  const parts = withParts ? await buildTrialParts(setup, docker) : undefined;
  const images: Images = { writ, sandbox, ...(parts && { parts }) };
  return save === undefined ? images : await saveAll(setup, docker, images, save);
};

const saveAll = async (
  setup: Setup,
  docker: Docker,
  { writ, sandbox, parts }: Images,
  folder: string,
): Promise<Images> => {
  mkdirSync(folder, { recursive: true });
  const saved = async <T extends BuiltImage>(image: T): Promise<T> => {
    const tar = join(folder, `${image.ref.replaceAll(/[/:]/g, '-')}.tar`);
    // Beside each tar file is the image id in it: half a gigabyte is not written again without need.
    const idFile = `${tar}.id`;
    if (!existsSync(tar) || !existsSync(idFile) || readFileSync(idFile, 'utf8') !== image.id) {
      setup.report(`saving ${image.ref}`);
      rmSync(idFile, { force: true });
      await saveImage(docker, image.ref, tar);
      writeFileSync(idFile, image.id);
    }
    return { ...image, tar };
  };
  return {
    writ: await saved(writ),
    sandbox: await saved(sandbox),
    ...(parts && { parts: { postgres: await saved(parts.postgres), nats: await saved(parts.nats) } }),
  };
};
