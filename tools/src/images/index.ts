// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { buildSandboxImage } from '@writ/sandbox-docker';
import type Docker from 'dockerode';
import { agentBundle, interpreterBundle } from '../build/bundle-agent.ts';
import { ensureBase } from '../parts/image-base.ts';
import type { Setup } from '../setup.ts';
import { saveImage } from './engine-build.ts';
import { readRelease } from './release.ts';
import { buildWritImage, type BuiltImage, type WritImage } from './writ-image.ts';

export type { BuiltImage, WritImage } from './writ-image.ts';

export interface ImagesOptions {
  /** a folder for tar files of both images; none are written where it isn't named */
  readonly save?: string;
  /** an image to build that of the services on; else a minimal Debian */
  readonly base?: string;
  /** builds every step anew */
  readonly fresh?: boolean;
}

export interface Images {
  readonly writ: WritImage;
  readonly sandbox: BuiltImage;
}

/**
 * Builds both images, `writ:<version>` and `writ-sandbox:<version>`, from what `npm run build` made.
 *
 * @throws SetupError
 */
export const buildImages = async (
  setup: Setup,
  docker: Docker,
  { save, base, fresh }: ImagesOptions = {},
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
    agentBundlePath: agentBundle(setup.checkout),
    interpreterBundlePath: interpreterBundle(setup.checkout),
  });
  const sandbox = { ref: built.reference, id: built.digest };
  if (save === undefined) return { writ, sandbox };
  mkdirSync(save, { recursive: true });
  const tarOf = async ({ ref }: BuiltImage): Promise<string> => {
    setup.report(`saving ${ref}`);
    const tar = join(save, `${ref.replace(':', '-')}.tar`);
    await saveImage(docker, ref, tar);
    return tar;
  };
  return { writ: { ...writ, tar: await tarOf(writ) }, sandbox: { ...sandbox, tar: await tarOf(sandbox) } };
};
