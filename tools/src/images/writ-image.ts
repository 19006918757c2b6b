// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { Setup } from '../setup.ts';
import { debianBase, type DebianPackage } from './debian-base.ts';
import { engineBuild, followed, idOf } from './engine-build.ts';
import { applicationTree, nodeTree } from './layout.ts';
import type { Release } from './release.ts';
import { renderSbom } from './sbom.ts';

/** An image that the engine has. */
export interface BuiltImage {
  /** `writ:0.1.0` */
  readonly ref: string;
  /** `sha256:…` */
  readonly id: string;
  /** for `docker load` and `ctr images import`, where it was asked for */
  readonly tar?: string;
}

/** The same, with the list of its packages beside it. */
export interface WritImage extends BuiltImage {
  /** CycloneDX, JSON */
  readonly sbom: string;
}

export interface WritImageOptions {
  readonly docker: Docker;
  readonly release: Release;
  readonly ref: string;
  /** an image to build on; the minimal Debian of packages where none is named */
  readonly base?: string;
  /** where the archives and the list of packages go */
  readonly out: string;
  /** builds every step anew */
  readonly fresh?: boolean;
}

const HASH_HEX = 12;

/** The minimal base as an image of the engine. */
const ensureDebianBase = async (
  setup: Setup,
  { docker, release, out }: WritImageOptions,
): Promise<{ base: string; packages: readonly DebianPackage[] }> => {
  const { tree, packages } = await debianBase(setup);
  // Named by its content: the same packages are found again, and newer ones are another base.
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

/** Builds the image of the services from the build that is there. */
export const buildWritImage = async (setup: Setup, options: WritImageOptions): Promise<WritImage> => {
  const { docker, release, ref, out, fresh } = options;
  mkdirSync(out, { recursive: true });
  setup.report('the base');
  const { base, packages } =
    options.base === undefined ? await ensureDebianBase(setup, options) : { base: options.base, packages: [] };
  setup.report('the archives');
  const files = await writeArchives(setup, release, out);
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

/** The two archives that the Dockerfile's stage `prepared` adds. */
export const writeArchives = async (
  setup: Pick<Setup, 'checkout'>,
  release: Release,
  out: string,
): Promise<{ name: string; path: string }[]> => {
  const archives = { 'node.tar': nodeTree(process.execPath), 'application.tar': await applicationTree(setup.checkout) };
  return Promise.all(
    Object.entries(archives).map(async ([name, tree]) => {
      const path = join(out, name);
      await tree.write(path, release.date);
      return { name, path };
    }),
  );
};
