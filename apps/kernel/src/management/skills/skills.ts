// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import {
  Fault,
  LIMITS,
  type BlobRef,
  type KernelRequest,
  type SkillManifest,
  type SkillPutReply,
  type SkillView,
  type SkillDetails,
  type TenantId,
} from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { requireMatch } from '@writ/nest-kit';
import type { ChangeRecord, Changed, Changes } from '../../evidence/changes/index.ts';
import type { TaskRunner } from '@writ/worker-pool';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { requireSkill, skillBytes } from '../../judging/definitions/skills.ts';
import type { ListPage } from '@writ/paging';
import { requireFound, requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import { folderProblems, manifestOf, readSkillFile, skillFileOf, type Problem, type SentFile } from './read-skill.ts';

/** Maximum time to read a SKILL.md in a worker thread, in milliseconds. 8 KiB of hostile YAML takes some 60. */
const READ_WALL_MS = 3_000;

type SkillRow = NonNullable<Awaited<ReturnType<Rows['skill']['findUnique']>>>;

/**
 * Manages skills. INVARIANT (a version is its contents): the contents of a version's digest never change. Agents read
 * the newest version of a name, and the same contents again are the same version.
 */
export class Skills {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #blobs: BlobStore;
  readonly #work: TaskRunner<ManagementTasks> | null;

  /** @param work the worker pool that reads front matter; null: it is read inline, for specs */
  constructor(tenancy: Tenancy, changes: Changes, blobs: BlobStore, work: TaskRunner<ManagementTasks> | null = null) {
    this.#work = work;
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#blobs = blobs;
  }

  /**
   * Stores a folder as the newest version of its skill. Problems are returned as an answer and not as a fault.
   * @throws Fault `auth.role`, `blob.missing`, `precondition.failed`, `limit.exceeded`
   */
  async put({ caller, files, if_match }: KernelRequest<'skill.put'>): Promise<SkillPutReply> {
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
    return await this.#changes.make<SkillPutReply>(tenant_id, async (rows, now) => {
      await lockSkills(rows, tenant_id);
      if (if_match !== undefined) requireMatch(if_match, detailsOf(await versionsOf(rows, tenant_id, wanted.name)));
      return await putVersion(rows, { ...wanted, created_at: BigInt(now) });
    });
  }

  /** The newest versions, by name. @throws Fault `request.malformed` */
  async list({ caller, page }: KernelRequest<'skill.list'>): Promise<ListPage<SkillView>> {
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
  async read({ caller, name }: KernelRequest<'skill.read'>): Promise<SkillDetails> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const versions = await this.#tenancy.within(caller.tenant_id, (rows) => versionsOf(rows, caller.tenant_id, name));
    return requireFound(detailsOf(versions));
  }

  /**
   * Removes a skill with all of its versions. From then on no call reads it, and its contents are unreachable.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`
   */
  async remove({ caller, name, if_match }: KernelRequest<'skill.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockSkills(rows, tenant_id);
      const versions = await versionsOf(rows, tenant_id, name);
      const { digest } = requireFound(versions[0] ?? null);
      if (if_match !== undefined) requireMatch(if_match, detailsOf(versions));
      await rows.skill.deleteMany({ where: { tenant_id, name } });
      return { value: { removed: name }, records: [recordOf('skill_removed', api_key_id, name, digest)] };
    });
  }

  /**
   * The version of the files. INVARIANT (nobody's word): the length of a content and the text of a SKILL.md are read
   * from the store, and never from the request.
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
    const frontMatter = this.#work === null ? readSkillFile(file) : await this.#work.run('skill.read', file, options);
    if (Array.isArray(frontMatter)) return { problems: [...problems, ...frontMatter] };
    return problems.length > 0 ? { problems } : { manifest: manifestOf(files, frontMatter) };
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

/** Serializes changes of a tenant's skills, since their number is limited. */
async function lockSkills(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.skills.' || ${tenantId}, 0))::text`;
}

const versionsOf = async (rows: Rows, tenant_id: string, name: string): Promise<SkillRow[]> =>
  name.includes('\0') ? [] : await rows.skill.findMany({ where: { tenant_id, name }, orderBy: { seq: 'desc' } });

/** Stores a version. One that was stored before becomes the newest again. */
async function putVersion(rows: Rows, wanted: Omit<SkillRow, 'seq'>): Promise<Changed<SkillPutReply>> {
  const { tenant_id, name, digest, created_by } = wanted;
  const versions = await versionsOf(rows, tenant_id, name);
  const [newest] = versions;
  if (newest?.digest === digest) return { value: put('unchanged', newest), records: [] };
  const oldest = versions.filter((version) => version.digest !== digest).slice(LIMITS.skillVersions.max - 1);
  await rows.skill.deleteMany({
    where: { tenant_id, name, digest: { in: [digest, ...oldest.map((version) => version.digest)] } },
  });
  await verifyQuota(rows, wanted, newest === undefined);
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
async function verifyQuota(
  rows: Rows,
  { tenant_id, bytes }: Pick<SkillRow, 'tenant_id' | 'bytes'>,
  isNew: boolean,
): Promise<void> {
  const [usage] = await rows.$queryRaw<
    { names: bigint; bytes: bigint }[]
  >`SELECT count(DISTINCT name) AS names, coalesce(sum(bytes), 0)::bigint AS bytes FROM kernel.skill WHERE tenant_id = ${tenant_id}`;
  const { names, bytes: stored } = usage ?? { names: 0n, bytes: 0n };
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
const put = (change: SkillPutReply['change'], row: SkillRow): SkillPutReply => ({
  valid: true,
  problems: [],
  change,
  skill: viewOf(row),
});
const manifestIn = ({ contents, digest }: SkillRow): SkillManifest => requireSkill(contents, digest);

/** @throws where the stored version can't be read, since something else than this class wrote it */
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

/** A skill in full, of its versions with the newest first; null for none. */
function detailsOf(versions: readonly SkillRow[]): SkillDetails | null {
  const [newest] = versions;
  if (newest === undefined) return null;
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
