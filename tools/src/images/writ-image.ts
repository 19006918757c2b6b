// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { hasModel, modelDirIn } from '@writ/embedding-onnx';
import { ensureEmbeddingModel } from '../embedding-model/ensure.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { debianBase, type DebianPackage } from './debian-base.ts';
import { engineBuild, followed, idOf } from './engine-build.ts';
import { applicationTree, nodeTree } from './layout.ts';
import type { Release } from './release.ts';
import { findSpeechModel } from '../speech-model/ensure.ts';
import { renderSbom } from './sbom.ts';

/** An image in the engine. */
export interface BuiltImage {
  /** `writ:0.1.0` */
  readonly ref: string;
  /** `sha256:…` */
  readonly id: string;
  /** for `docker load` and `ctr images import`, where it was requested */
  readonly tar?: string;
}

/** The same, with the list of its packages. */
export interface WritImage extends BuiltImage {
  /** CycloneDX, JSON */
  readonly sbom: string;
}

export interface WritImageOptions {
  readonly docker: Docker;
  readonly release: Release;
  readonly ref: string;
  /** the base image; the minimal Debian of packages by default */
  readonly base?: string;
  /** the folder for the archives and the list of packages */
  readonly out: string;
  /** builds every step again */
  readonly fresh?: boolean;
}

const HASH_HEX = 12;

/** The minimal base as an image of the engine. */
const ensureDebianBase = async (
  setup: Setup,
  { docker, release, out }: WritImageOptions,
): Promise<{ base: string; packages: readonly DebianPackage[] }> => {
  const { tree, packages } = await debianBase(setup);
  // Named by its content: the same packages give the same base, and newer ones another.
  const tag = tree.hash.slice(0, HASH_HEX);
  const base = `writ/base:${tag}`;
  if ((await idOf(docker, base)) === undefined) {
    const archive = join(out, 'base.tar');
    await tree.write(archive, release.date);
    await followed(
      docker,
      await docker.importImage(archive, { repo: 'writ/base', tag }),
      "the base image can't be imported",
    );
  }
  return { base, packages };
};

/** Builds the image of the services from the present build output. */
export const buildWritImage = async (setup: Setup, options: WritImageOptions): Promise<WritImage> => {
  const { docker, release, ref, out, fresh } = options;
  mkdirSync(out, { recursive: true });
  setup.report('the base');
  const { base, packages } =
    options.base === undefined ? await ensureDebianBase(setup, options) : { base: options.base, packages: [] };
  setup.report('the model of embeddings');
  await ensureEmbeddingModel(setup).catch((error: unknown) => {
    if (!(error instanceof SetupError)) throw error;
    setup.report(`the image has no model of embeddings: ${error.message}`);
  });
  setup.report('the archives');
  const files = await writeArchives(setup, release, out, await findSpeechModel(setup));
  setup.report('the image');
  const id = await engineBuild({
    docker,
    reference: ref,
    fresh,
    target: 'prepared',
    files,
    dockerfile: { name: 'Dockerfile', path: join(setup.checkout, 'docker', 'Dockerfile') },
    args: {
      BASE_IMAGE: base,
      VERSION: release.version,
      REVISION: release.revision,
      SOURCE: release.source,
      CREATED: release.date.toISOString().replace('.000Z', 'Z'),
    },
  });
  const sbom = join(out, 'writ.cdx.json');
  writeFileSync(sbom, renderSbom({ checkout: setup.checkout, release, debian: packages, node: process.versions.node }));
  return { ref, id, sbom };
};

/**
 * The two archives for the Dockerfile's stage `prepared`. The model of embeddings is in them if the cache has it.
 *
 * @param speechModelDir the folder of the model of speech; null for an image without one
 */
export const writeArchives = async (
  { checkout, cacheDir }: Pick<Setup, 'checkout' | 'cacheDir'>,
  release: Release,
  out: string,
  speechModelDir: string | null,
): Promise<{ name: string; path: string }[]> => {
  const model = modelDirIn(cacheDir);
  const models = { embedding: (await hasModel(model)) ? model : undefined, speech: speechModelDir ?? undefined };
  const archives = {
    'node.tar': nodeTree(process.execPath),
    'application.tar': await applicationTree(checkout, models),
  };
  return Promise.all(
    Object.entries(archives).map(async ([name, tree]) => {
      const path = join(out, name);
      await tree.write(path, release.date);
      return { name, path };
    }),
  );
};
