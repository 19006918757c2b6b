// SPDX-License-Identifier: Apache-2.0
import type {
  ImageClaim,
  ImageClaimRequest,
  ImageFinishRequest,
  ImageReleaseRequest,
  ImageRenewRequest,
} from '@writ/contract';
import type { Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';

/** How long an executor has an image without a renewal, in milliseconds. It renews every third of that. */
const LEASE_MS = 30_000;
/** An image that as many executors were lost over takes them down, and ends as failed. */
const LOST_MAX = 3;
/** How long an image waits after an executor couldn't work on it: an engine takes about as long to start again. */
const PAUSE_MS = 30_000;

/** Gives waiting images to executors, and writes what came of them. */
export class ImageBuilds {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #changes: Changes;

  constructor(workers: CrossTenantPool, tenants: TenantPool, changes: Changes) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#changes = changes;
  }

  /** The image that the executor is to make ready; null where none waits. */
  async claim({ executor_id }: ImageClaimRequest): Promise<ImageClaim | null> {
    const claimed = await kernelSql.claimImage(this.#workers.pool, { executor: executor_id, lease_ms: LEASE_MS });
    if (claimed === null) return null;
    const { lost, ...image } = claimed;
    if (lost < LOST_MAX) return image;
    const { image_id, tenant_id, claim } = image;
    const problem = `${String(LOST_MAX)} executors were lost while they made it ready`;
    await this.finish({ v: 1, executor_id, tenant_id, image_id, claim, image_digest: null, problem, log: '' });
    return null;
  }

  /** Whether the executor still has it. */
  async renew({ tenant_id, image_id, executor_id, claim, log }: ImageRenewRequest): Promise<boolean> {
    return await kernelSql.renewImage(this.#tenants.pool, {
      tenant: tenant_id,
      image: image_id,
      executor: executor_id,
      claim,
      lease_ms: LEASE_MS,
      log: stored(log),
    });
  }

  /**
   * Lets another executor have it. Resolves with whether the executor still had it. A build that an engine broke off
   * says nothing about the image, so it is tried until it ends, with a pause between two tries.
   */
  async release({ tenant_id, image_id, executor_id, claim, stopping, log }: ImageReleaseRequest): Promise<boolean> {
    return await kernelSql.releaseImage(this.#tenants.pool, {
      tenant: tenant_id,
      image: image_id,
      executor: executor_id,
      claim,
      pause_ms: stopping ? 0 : PAUSE_MS,
      log: stored(log),
    });
  }

  /**
   * Writes the end of a build, with a record: of the digest that calls run in from now on, or of the failure. Resolves
   * with whether the executor still had it; otherwise nothing was written.
   */
  async finish({ tenant_id, image_id, executor_id, claim, ...end }: ImageFinishRequest): Promise<boolean> {
    const isReady = end.image_digest !== null;
    return await this.#changes.upkeep(tenant_id, async (rows, now) => {
      const claimed = { image_id, tenant_id, executor_id, claim, state: 'building', removed_at: null };
      const row = await rows.image.findFirst({ where: claimed });
      if (row === null) return { value: false, records: [] };
      const { count } = await rows.image.updateMany({
        where: claimed,
        data: {
          state: isReady ? 'ready' : 'failed',
          image_digest: end.image_digest,
          problem: isReady ? null : stored(end.problem ?? 'the executor did not say why'),
          log: stored(end.log),
          claim_until: null,
          updated_at: BigInt(now),
        },
      });
      if (count === 0) return { value: false, records: [] };
      const change = {
        verb: isReady ? 'image_ready' : 'image_failed',
        subject: row.name,
        digest: end.image_digest === null ? row.digest : end.image_digest.slice('sha256:'.length),
      };
      return { value: true, records: [{ kind: 'change', actor: executor_id, change }] };
    });
  }
}

/** Postgres accepts no NUL in text, and the text comes from package managers. */
const stored = (text: string): string => text.replaceAll('\0', '').toWellFormed();
