// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type ImageLog, type ImageView, type KernelRequest } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import { readImageSource, sourceBytes, sourceDigest, sourceFrom, type AllowedSources } from '@writ/sandbox/images';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { requireFound, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';

type ImageRow = NonNullable<Awaited<ReturnType<Rows['image']['findUnique']>>>;

/**
 * Manages the images of tenants. INVARIANT (never another): what a name means never changes while it is registered. To
 * change it, remove the image and register another. INVARIANT (the operator bounds it): a tenant names images only of
 * sources that the operator allows.
 */
export class TenantImages {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #allowed: AllowedSources;

  constructor(tenancy: Tenancy, changes: Changes, allowed: AllowedSources) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#allowed = allowed;
  }

  /**
   * Registers an image; an executor then makes it ready.
   * @throws Fault `auth.role`, `request.malformed`, `image.not_allowed`, `conflict` for a name or a tool that is taken,
   * `limit.exceeded`
   */
  async create({ caller, name, source: sent, tools }: KernelRequest<'image.create'>): Promise<ImageView> {
    requireRole(caller, 'admin');
    const { source, problem } = readImageSource(sent);
    if (source === null)
      throw new Fault('request.malformed', problem.message, { pointer: `/source${problem.pointer}` });
    const refused = this.#allowed.problemOf(source);
    if (refused !== null) throw new Fault('image.not_allowed', refused.message, { pointer: refused.pointer });
    const definition = new Uint8Array(sourceBytes(source));
    const digest = sourceDigest(definition);
    const { tenant_id, api_key_id: created_by } = caller;
    return await this.#changes.make<ImageView>(tenant_id, async (rows, now) => {
      await lockImages(rows, tenant_id);
      const live = await rows.image.findMany({ where: { tenant_id, removed_at: null } });
      const existing = live.find((row) => row.name === name);
      if (existing?.digest === digest && sameTools(existing.tools, tools))
        return { value: imageView(existing), records: [] };
      if (existing !== undefined)
        throw new Fault(
          'conflict',
          `there is another image \`${name}\`: remove it first, or give this one another name`,
        );
      const taken = live.find((row) => row.tools.some((tool) => tools.includes(tool)));
      if (taken !== undefined)
        throw new Fault('conflict', `the image \`${taken.name}\` is that of one of these tools: remove it first`);
      if (live.length >= LIMITS.images.max)
        throw new Fault('limit.exceeded', `a tenant has at most ${String(LIMITS.images.max)} images`);
      const at = BigInt(now);
      const row = await rows.image.create({
        data: {
          image_id: newId('image'),
          tenant_id,
          name,
          definition,
          digest,
          tools,
          created_by,
          created_at: at,
          updated_at: at,
        },
      });
      return { value: imageView(row), records: [recordOf('image_created', created_by, name, digest)] };
    });
  }

  /** By name. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'image.list'>): Promise<ListPage<ImageView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    const rows = await this.#tenancy.within(tenant_id, (tables) =>
      tables.image.findMany({
        where: { tenant_id, removed_at: null, name: { gt: after } },
        orderBy: { name: 'asc' },
        take: page.limit + 1,
      }),
    );
    return fittedPage(rows.map(imageView), page.limit, ({ name }) => ({ created_at: 0, id: name }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'image.read'>): Promise<ImageView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    return imageView(await this.#tenancy.within(tenant_id, (rows) => findImage(rows, tenant_id, name)));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async log({ caller, name }: KernelRequest<'image.log'>): Promise<ImageLog> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const { state, log } = await this.#tenancy.within(tenant_id, (rows) => findImage(rows, tenant_id, name));
    return { state: state as ImageView['state'], log };
  }

  /**
   * Removes an image. From then on no call runs in it, including waiting calls. What builds it stops.
   * @throws Fault `auth.role`, `not_found`
   */
  async remove({ caller, name }: KernelRequest<'image.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      await lockImages(rows, tenant_id);
      const { image_id, digest } = await findImage(rows, tenant_id, name);
      await rows.image.updateMany({ where: { image_id }, data: { removed_at: BigInt(now) } });
      return { value: { removed: name }, records: [recordOf('image_removed', api_key_id, name, digest)] };
    });
  }
}

const sameTools = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((tool) => other.includes(tool));

/** Serializes changes of a tenant's images. */
async function lockImages(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.images.' || ${tenantId}, 0))::text`;
}

const findImage = async (rows: Rows, tenant_id: string, name: string): Promise<ImageRow> =>
  requireFound(
    name.includes('\0') ? null : await rows.image.findFirst({ where: { tenant_id, name, removed_at: null } }),
  );

const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});

/** @throws where the stored source can't be read, since something else than this class wrote it */
function imageView(row: ImageRow): ImageView {
  const source = sourceFrom(row.definition);
  if (source === null) throw new Error(`the image \`${row.name}\` is not as it was registered`);
  const { image_id, name, digest, tools, state, image_digest, problem, created_by } = row;
  return {
    image_id,
    name,
    source,
    digest,
    tools,
    state: state as ImageView['state'],
    image_digest,
    problem,
    created_by,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  };
}
