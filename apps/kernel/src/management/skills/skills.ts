// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import {
  Fault,
  LIMITS,
  type BlobRef,
  type KernelRequest,
  type SkillManifest,
  type SkillPut,
  type SkillView,
  type SkillWhole,
  type TenantId,
} from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import type { ChangeRecord, Changed, Changes } from '../../evidence/changes/index.ts';
import type { Work } from '@writ/worker-pool';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { requireSkill, skillBytes } from '../../judging/tools/skills.ts';
import type { Listed } from '@writ/paging';
import { found, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import { folderProblems, manifestOf, readSkillFile, skillFileOf, type Problem, type SentFile } from './read-skill.ts';

/** What reading a SKILL.md may take in a thread, in milliseconds: 8 KiB of YAML that is made for it takes some 60. */
const READ_WALL_MS = 3_000;

type SkillRow = NonNullable<Awaited<ReturnType<Rows['skill']['findUnique']>>>;

/**
 * Skills, as administrators manage them. INVARIANT (a version is its contents): what a version's digest names never
 * changes; the newest version of a name is what agents read, and the same contents again are the same version.
 */
export class Skills {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #blobs: BlobStore;
  readonly #work: Work<ManagementTasks> | null;

  /** @param work where front matter is read; null: here, for specs */
  constructor(tenancy: Tenancy, changes: Changes, blobs: BlobStore, work: Work<ManagementTasks> | null = null) {
    this.#work = work;
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#blobs = blobs;
  }

  /**
   * Takes a folder as the newest version of its skill: what is wrong with it is an answer, not a fault.
   * @throws Fault `auth.role`, `blob.missing`, `limit.exceeded`
   */
  async put({ caller, files }: KernelRequest<'skill.put'>): Promise<SkillPut> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: created_by } = caller;
    const read = await this.#read(tenant_id, files);
    if ('problems' in read) return { valid: false, problems: read.problems, change: null, skill: null };
    const { manifest } = read;
    const contents = new Uint8Array(skillBytes(manifest));
    const wanted = {
      tenant_id,
      name: manifest.name,
      digest: sha256Hex(contents),
      contents,
      bytes: BigInt(manifest.files.reduce((sum, { size }) => sum + size, 0)),
      created_by,
    };
    return await this.#changes.make<SkillPut>(tenant_id, async (rows, now) => {
      await lockSkills(rows, tenant_id);
      return await putVersion(rows, { ...wanted, created_at: BigInt(now) });
    });
  }

  /** The newest versions, by name. @throws Fault `request.malformed` */
  async list({ caller, page }: KernelRequest<'skill.list'>): Promise<Listed<SkillView>> {
    const { tenant_id } = caller;
    const { id: after } = page.cursor === null ? { id: '' } : parseCursor(page.cursor);
    const newest = await this.#tenancy.within(
      tenant_id,
      (rows) => rows.$queryRaw<SkillRow[]>`
      SELECT DISTINCT ON (name) * FROM kernel.skill WHERE tenant_id = ${tenant_id} AND name > ${after.replaceAll('\0', '')} ORDER BY name, seq DESC LIMIT ${page.limit + 1}`,
    );
    return fittedPage(newest.map(viewOf), page.limit, ({ name }) => ({ created_at: 0, id: name }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'skill.read'>): Promise<SkillWhole> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const versions = await this.#tenancy.within(caller.tenant_id, (rows) => versionsOf(rows, caller.tenant_id, name));
    const newest = found(versions[0] ?? null);
    return {
      ...viewOf(newest),
      files: manifestIn(newest).files,
      versions: versions.map(({ digest, bytes, created_by, created_at }) => ({
        digest,
        bytes: Number(bytes),
        created_by,
        created_at: Number(created_at),
      })),
    };
  }

  /**
   * Removes a skill with all of its versions: no call reads it from then on, and nothing names its contents.
   * @throws Fault `auth.role`, `not_found`
   */
  async remove({ caller, name }: KernelRequest<'skill.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockSkills(rows, tenant_id);
      const { digest } = found((await versionsOf(rows, tenant_id, name))[0] ?? null);
      await rows.skill.deleteMany({ where: { tenant_id, name } });
      return { value: { removed: name }, records: [recordOf('skill_removed', api_key_id, name, digest)] };
    });
  }

  /**
   * The version that the files make. INVARIANT (nobody's word): how long a content is, and what a SKILL.md says, is
   * read from the store.
   */
  async #read(
    tenantId: TenantId,
    sent: readonly SentFile[],
  ): Promise<{ manifest: SkillManifest } | { problems: Problem[] }> {
    const files = await this.#asStored(tenantId, sent);
    const problems = folderProblems(files);
    const top = skillFileOf(files);
    if (!('file' in top)) return { problems: [...problems, top] };
    if (top.file.ref.size > LIMITS.skillFileBytes.max) return { problems };
    const file = { bytes: await this.#blobs.get(tenantId, top.file.ref.sha256), index: top.index };
    const options = { tenantId, wallMs: READ_WALL_MS };
    const said = this.#work === null ? readSkillFile(file) : await this.#work.run('skill.read', file, options);
    if (Array.isArray(said)) return { problems: [...problems, ...said] };
    return problems.length > 0 ? { problems } : { manifest: manifestOf(files, said) };
  }

  async #asStored(tenantId: TenantId, sent: readonly SentFile[]): Promise<SentFile[]> {
    const sizes = await this.#blobs.sizes(tenantId, [...new Set(sent.map(({ ref }) => ref.sha256))]);
    return sent.map(({ path, ref: { sha256 } }) => {
      const size = sizes.get(sha256);
      if (size === undefined) throw new Fault('blob.missing', `the content \`${sha256}\` is not there`);
      const ref: BlobRef = { sha256, size };
      return { path, ref };
    });
  }
}

/** Changes of a tenant's skills come one after the other: what there may be of them is counted. */
async function lockSkills(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.skills.' || ${tenantId}, 0))::text`;
}

const versionsOf = async (rows: Rows, tenant_id: string, name: string): Promise<SkillRow[]> =>
  name.includes('\0') ? [] : await rows.skill.findMany({ where: { tenant_id, name }, orderBy: { seq: 'desc' } });

/** A version that was there before becomes the newest again. */
async function putVersion(rows: Rows, wanted: Omit<SkillRow, 'seq'>): Promise<Changed<SkillPut>> {
  const { tenant_id, name, digest, created_by } = wanted;
  const standing = await versionsOf(rows, tenant_id, name);
  const [newest] = standing;
  if (newest?.digest === digest) return { value: put('unchanged', newest), records: [] };
  const oldest = standing.filter((version) => version.digest !== digest).slice(LIMITS.skillVersions.max - 1);
  await rows.skill.deleteMany({
    where: { tenant_id, name, digest: { in: [digest, ...oldest.map((version) => version.digest)] } },
  });
  await verifyRoom(rows, wanted, newest === undefined);
  const row = { ...wanted, seq: (newest?.seq ?? 0n) + 1n };
  await rows.skill.createMany({ data: [row] });
  return {
    value: put(newest === undefined ? 'added' : 'changed', row),
    records: [
      recordOf('skill_stored', created_by, name, digest),
      ...oldest.map((version) => recordOf('skill_version_removed', created_by, name, version.digest)),
    ],
  };
}

/** @throws Fault `limit.exceeded` */
async function verifyRoom(
  rows: Rows,
  { tenant_id, bytes }: Pick<SkillRow, 'tenant_id' | 'bytes'>,
  isNew: boolean,
): Promise<void> {
  const [held] = await rows.$queryRaw<
    { names: bigint; bytes: bigint }[]
  >`SELECT count(DISTINCT name) AS names, coalesce(sum(bytes), 0)::bigint AS bytes FROM kernel.skill WHERE tenant_id = ${tenant_id}`;
  const { names, bytes: stored } = held ?? { names: 0n, bytes: 0n };
  if (isNew && names >= BigInt(LIMITS.skills.max))
    throw new Fault('limit.exceeded', `a tenant has at most ${LIMITS.skills.max} skills: remove one first`);
  if (stored + bytes > BigInt(LIMITS.skillsBytes.max))
    throw new Fault(
      'limit.exceeded',
      `all versions of a tenant's skills hold at most ${LIMITS.skillsBytes.max} bytes: remove a skill first`,
    );
}

const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});
const put = (change: SkillPut['change'], row: SkillRow): SkillPut => ({
  valid: true,
  problems: [],
  change,
  skill: viewOf(row),
});
const manifestIn = ({ contents, digest }: SkillRow): SkillManifest => requireSkill(contents, digest);

/** @throws where what is stored can't be read: somebody else wrote it */
function viewOf(row: SkillRow): SkillView {
  const { description, files } = manifestIn(row);
  return {
    name: row.name,
    description,
    digest: row.digest,
    files: files.length,
    bytes: Number(row.bytes),
    updated_by: row.created_by,
    updated_at: Number(row.created_at),
  };
}
