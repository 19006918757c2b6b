// SPDX-License-Identifier: Apache-2.0
// Postgres and NATS for machines that reach Debian's packages and no image registry: for trials and tests.
import { join } from 'node:path';
import type Docker from 'dockerode';
import { ensureBase } from '../parts/image-base.ts';
import type { Setup } from '../setup.ts';
import { engineBuild } from './engine-build.ts';
import type { BuiltImage } from './writ-image.ts';

const FILES = { postgres: ['postgres.Dockerfile', 'postgres-entrypoint.sh'], nats: ['nats.Dockerfile'] } as const;

/** The image names. Only their Dockerfile changes them, so they need no version. */
export type TrialParts = Readonly<Record<keyof typeof FILES, BuiltImage>>;

/**
 * Builds docker/local on the base image of sandboxes, with the engine's cache.
 *
 * @throws SetupError where Debian's packages can't be downloaded
 */
export const buildTrialParts = async (setup: Setup, docker: Docker): Promise<TrialParts> => {
  const base = await ensureBase(setup, docker);
  const build = async (name: keyof typeof FILES): Promise<BuiltImage> => {
    setup.report(`the image of ${name}`);
    const [dockerfile, ...files] = FILES[name].map((file) => ({
      name: file,
      path: join(setup.checkout, 'docker', 'local', file),
    }));
    const ref = `writ-local/${name}:1`;
    const id = await engineBuild({
      docker,
      reference: ref,
      dockerfile: dockerfile as { name: string; path: string },
      files,
      args: { BASE_IMAGE: base },
      // Packages are downloaded with the machine's own network settings.
      network: 'host',
    });
    return { ref, id };
  };
  return { postgres: await build('postgres'), nats: await build('nats') };
};
