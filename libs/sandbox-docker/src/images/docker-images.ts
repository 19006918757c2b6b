// SPDX-License-Identifier: Apache-2.0
import { buildPlan, ImageError, type BuildContext, type TenantImages, type WantedImage } from '@writ/sandbox/images';
import type Docker from 'dockerode';
import { LRUCache } from 'lru-cache';
import { engineTask } from '../engine-task.ts';
import { OWN_MARK } from '../process-mark.ts';
import { buildRecipe, TENANT_LABEL } from './build-recipe.ts';
import { findImage, inspectOf, passwdOf, runnableImage, type ImageBounds } from './runnable-image.ts';

/** Lists of users that are kept: a kilobyte each. */
const PASSWDS_MAX = 256;

export interface DockerImagesConfig {
  readonly docker: Docker;
  /** the sandbox image of the deployment, `sha256:…` */
  readonly sandboxImage: string;
  readonly bounds: ImageBounds;
  readonly labels: Readonly<Record<string, string>>;
}

/** Images of tenants in a Docker engine: fetched, made runnable, or built from a recipe. */
export class DockerImages implements TenantImages {
  readonly #config: DockerImagesConfig;
  /** images that are being made runnable, so that each is made once */
  readonly #making = new Map<string, Promise<string>>();

  /** by the id of their image, which can't change */
  readonly #passwds = new LRUCache<string, string>({ max: PASSWDS_MAX });

  constructor(config: DockerImagesConfig) {
    this.#config = { ...config, labels: { ...config.labels, ...OWN_MARK } };
  }

  /**
   * The id of the runnable image of a digest that was decided; fetched where the engine hasn't got it. @throws
   * ImageError where it can't be had here
   */
  async runnable({ tenantId, source }: WantedImage, digest: string, signal: AbortSignal): Promise<string> {
    if ('reference' in source) {
      if (!source.reference.endsWith(`@${digest}`)) throw new ImageError('the image has another digest than its name');
      await this.#fetch(source.reference, signal);
      return await this.#runnable(source.reference);
    }
    if ('digest' in source && source.digest !== digest) throw new ImageError('the image has another digest');
    const { Config } = await inspectOf(this.#config.docker, digest);
    this.#verifyOwner(Config.Labels, tenantId, digest);
    return await this.#runnable(digest);
  }

  /** The text of an image's list of users. */
  async passwd(image: string): Promise<string> {
    const known = this.#passwds.get(image) ?? (await passwdOf(image, this.#config));
    this.#passwds.set(image, known);
    return known;
  }

  /** Makes an image of a source; resolves with its digest. @throws ImageError, NothingToBuild */
  async make(wanted: WantedImage, context: BuildContext, signal: AbortSignal): Promise<string> {
    const { source, tenantId } = wanted;
    if ('digest' in source) {
      await this.runnable(wanted, source.digest, signal);
      return source.digest;
    }
    if ('reference' in source) {
      const digest = source.reference.slice(source.reference.indexOf('@') + 1);
      context.log(`fetching ${source.reference}\n`);
      await this.runnable(wanted, digest, signal);
      return digest;
    }
    const { registries, ca, egress, digest, log } = context;
    const plan = buildPlan(source.recipe, registries, ca !== null);
    const base = await this.#base(source.recipe.base ?? null, tenantId, signal);
    const build = { base, plan, digest, tenantId, ca, egress: egress(plan.hosts), log };
    return await buildRecipe(build, this.#config, signal);
  }

  async #base(base: string | null, tenantId: string, signal: AbortSignal): Promise<string> {
    const { sandboxImage } = this.#config;
    if (base === null) return await this.#runnable(sandboxImage);
    const source = base.includes('@') ? { reference: base } : { digest: base };
    return await this.runnable({ tenantId, source }, base.slice(base.indexOf('@') + 1), signal);
  }

  async #runnable(image: string): Promise<string> {
    const making = this.#making.get(image) ?? runnableImage(image, this.#config);
    this.#making.set(image, making);
    try {
      return await making;
    } finally {
      this.#making.delete(image);
    }
  }

  /** An image that was built for another tenant is as if it weren't there. */
  #verifyOwner(labels: Readonly<Record<string, string>> | null | undefined, tenantId: string, digest: string): void {
    const owner = labels?.[TENANT_LABEL];
    if (owner !== undefined && owner !== tenantId) throw new ImageError(`the engine here has no image \`${digest}\``);
  }

  async #fetch(reference: string, signal: AbortSignal): Promise<void> {
    const { docker, bounds } = this.#config;
    if ((await findImage(docker, reference)) !== null) return;
    const until = AbortSignal.any([signal, AbortSignal.timeout(bounds.wallMs)]);
    try {
      const stream = await docker.createImage({ fromImage: reference, abortSignal: until });
      await engineTask(docker, stream);
    } catch (cause) {
      // The connection to the engine broke, which says nothing about the image.
      if (!until.aborted && typeof (cause as NodeJS.ErrnoException).code === 'string') throw cause;
      throw new ImageError(`the image \`${reference}\` could not be fetched: ${(cause as Error).message}`, { cause });
    }
  }
}
