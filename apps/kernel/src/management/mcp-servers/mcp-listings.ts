// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  imageForCall,
  isMcpStdio,
  MCP_LIMITS,
  PERSON_TOKEN,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type FaultCode,
  type McpAuthorization,
  type McpClaim,
  type McpClaimRequest,
  type McpProblem,
  type McpReportRequest,
  type TenantId,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { listingContext, sealTo } from '@writ/sealing';
import type { TaskRunner } from '@writ/worker-pool';
import type { Changed, Changes } from '../../evidence/changes/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { PersonTokens } from '../../execution/person-tokens/index.ts';
import { SessionValues } from '../../execution/values/index.ts';
import { takesPersons } from '../../judging/definitions/person-consents.ts';
import { kernelSql, type ImageFor } from '../../foundation/database/functions/index.ts';
import { decideImage, type Images } from '../../judging/judgement/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';
import type { Rows, Tenancy } from '../../foundation/tenancy/index.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { lockTools } from '../tool-registry/index.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import { withAuthorization } from './found-authorization.ts';
import { compareListing } from './compare-listing.ts';
import type { ServerOfTools } from './tools-in-force.ts';
import { readListing, type ListedTools } from './listed-tools.ts';
import { withoutMisnamed } from './misnamed-requests.ts';
import { storedProblem } from './stored-problem.ts';

/** How often a server is listed, in milliseconds: a change is found within that time, and by each call before it. */
const EVERY_MS = 15 * 60_000;
/** The pause after a first failure, in milliseconds; it doubles up to `EVERY_MS`. */
const RETRY_MS = 30_000;
/** How long a listing waits for its token to be renewed, in milliseconds. */
const RENEWING_MS = 3_000;
/** Servers of one tenant that are listed at a time. */
const EACH_MAX = 2;
/** Servers that one request of an executor may end, because they can't be listed. */
const ENDED_MAX = 16;
/** The JSON of a listing, with what was skipped, in bytes. */
const STORED_BYTES_MAX = 2 * MCP_LIMITS.listingBytes;
/** The bound, in milliseconds, on reading a listing in a thread. */
const READ_WALL_MS = 10_000;

/** What keeps a server from being listed until somebody changes it. */
const CONDITIONS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'secret.unknown',
  'image.unknown',
  'image.not_ready',
  'mcp.token_unavailable',
]);

/** What is written of an attempt. */
type Attempt = Pick<McpReportRequest, 'executor_id' | 'tenant_id' | 'resource_id' | 'claim'>;

interface ListingDependencies {
  readonly workers: CrossTenantPool;
  readonly tenants: TenantPool;
  readonly tenancy: Tenancy;
  readonly changes: Changes;
  readonly vault: TenantVault;
  readonly blobs: BlobStore;
  /** of the deployment, for programs */
  readonly images: Images;
}

/** Gives MCP servers that are due to executors, and compares what they list with what was accepted. */
export class McpListings {
  readonly #dependencies: ListingDependencies;
  readonly #values: SessionValues;
  readonly #persons: PersonTokens;
  readonly #work: TaskRunner<ManagementTasks> | null;

  /** @param work null: listings are read on the event loop, for programs of one user and for specs */
  constructor(dependencies: ListingDependencies, work: TaskRunner<ManagementTasks> | null = null) {
    this.#dependencies = dependencies;
    this.#values = new SessionValues(dependencies.tenants, dependencies.vault);
    this.#persons = new PersonTokens(dependencies.tenants, dependencies.vault);
    this.#work = work;
  }

  /**
   * The server whose tools the executor is to list; null where none is due. A server whose secret is missing is not
   * given, and the next one is.
   */
  async claim(request: McpClaimRequest): Promise<McpClaim | null> {
    for (let ended = 0; ended < ENDED_MAX; ended += 1) {
      const claim = await this.#claimOne(request);
      if (claim !== 'ended') return claim;
    }
    return null;
  }

  async #claimOne(request: McpClaimRequest): Promise<McpClaim | 'ended' | null> {
    const { executor_id, public_key, transports = ['http'] } = request;
    const { workers } = this.#dependencies;
    const limits = { lease_ms: MCP_LIMITS.leaseMs, each: EACH_MAX };
    const claimed = await kernelSql.claimMcpServer(workers.pool, { executor: executor_id, ...limits, transports });
    if (claimed === null) return null;
    const { tenant_id, resource_id, claim } = claimed;
    const resource = await this.#resource(tenant_id, resource_id);
    // It was removed since, and took its claim along.
    if (resource === null) return 'ended';
    // An executor that doesn't say what it can list is of the version before, and knows no rights of persons.
    if (request.transports === undefined && takesPersons(resource)) {
      await this.#postpone({ executor_id, tenant_id, resource_id, claim });
      return 'ended';
    }
    try {
      const sealed = await this.#sealed(claimed, resource, Buffer.from(public_key, 'base64'));
      return { tenant_id, claim, resource, sealed, ...(await this.#imageOf(tenant_id, resource)) };
    } catch (error) {
      const attempt = { executor_id, tenant_id, resource_id, claim };
      if (error instanceof Fault && error.code === 'overloaded') await this.#postpone(attempt);
      else if (error instanceof Fault && CONDITIONS.has(error.code))
        await this.#fail(attempt, { code: error.code, message: error.message });
      else throw error;
      return 'ended';
    }
  }

  /**
   * Writes what came of an attempt, with a record for each tool that comes into force or leaves it. Resolves with
   * whether the executor still had the server; otherwise nothing was written. INVARIANT (what was looked at): a tool
   * whose definition isn't the accepted one is out of force once this resolves.
   * @throws Fault `request.malformed`, `blob.missing`
   */
  async report(report: McpReportRequest): Promise<boolean> {
    const { listing, problem, about, authorization, ...attempt } = report;
    if ((listing === null) === (problem === null))
      throw new Fault('request.malformed', 'a report has a listing or a problem');
    if (listing === null) return await this.#fail(attempt, problem as McpProblem, authorization);
    const read = await this.#read(attempt.tenant_id, listing);
    return await this.#dependencies.changes.upkeep(attempt.tenant_id, async (rows, now): Promise<Changed<boolean>> => {
      await lockTools(rows, attempt.tenant_id);
      const listed = await withoutMisnamed(rows, attempt, read);
      const data = {
        due_at: BigInt(now + EVERY_MS),
        failures: 0,
        about: (about ?? undefined) as Prisma.InputJsonObject | undefined,
        skipped: listed.skipped.map((one) => ({ ...one })),
        problem: null,
      };
      const server = await this.#end(rows, attempt, now, await withAuthorization(rows, attempt, data, authorization));
      if (server === null) return { value: false, records: [] };
      return {
        value: true,
        records: await compareListing(rows, server, listed.tools, { by: attempt.executor_id, now }),
      };
    });
  }

  async #read(tenantId: string, { sha256, size }: NonNullable<McpReportRequest['listing']>): Promise<ListedTools> {
    if (size > STORED_BYTES_MAX) throw new Fault('request.malformed', 'the listing is longer than allowed');
    const bytes = await this.#dependencies.blobs.get(tenantId as TenantId, sha256);
    if (bytes.byteLength !== size) throw new Fault('request.malformed', 'the listing has another size');
    const options = { tenantId, wallMs: READ_WALL_MS };
    return this.#work === null ? readListing({ bytes }) : await this.#work.run('mcp.listing', { bytes }, options);
  }

  /** Lets any executor have the server soon: its token is being renewed, or this executor can't list it. */
  async #postpone(attempt: Attempt): Promise<void> {
    await this.#dependencies.tenancy.within(attempt.tenant_id, async (rows, now) => {
      const data = { due_at: BigInt(now + RENEWING_MS), claim_until: null };
      await rows.mcp_server.updateMany({ where: claimedBy(attempt), data });
    });
  }

  async #fail(attempt: Attempt, problem: McpProblem, authorization?: McpAuthorization): Promise<boolean> {
    return await this.#dependencies.tenancy.within(attempt.tenant_id, async (rows, now) => {
      const row = await rows.mcp_server.findFirst({ where: claimedBy(attempt), select: { failures: true } });
      if (row === null) return false;
      const failures = row.failures + 1;
      const pause = Math.min(EVERY_MS, RETRY_MS * 2 ** Math.min(failures - 1, 10));
      const data = { due_at: BigInt(now + pause), failures, problem: storedProblem(problem) };
      return (
        (await this.#end(rows, attempt, now, await withAuthorization(rows, attempt, data, authorization))) !== null
      );
    });
  }

  /** Ends the attempt; the server, or null where the executor hasn't it any more. */
  async #end(rows: Rows, attempt: Attempt, now: number, data: AttemptEnd): Promise<ServerOfTools | null> {
    const { tenant_id, resource_id } = attempt;
    const { count } = await rows.mcp_server.updateMany({
      where: claimedBy(attempt),
      data: {
        ...data,
        problem: (data.problem as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
        claim_until: null,
        checked_at: BigInt(now),
      },
    });
    if (count === 0) return null;
    return await rows.resource.findFirst({ where: { tenant_id, resource_id, removed_at: null } });
  }

  async #resource(tenant_id: string, resource_id: string): Promise<BoundResource | null> {
    const row = await this.#dependencies.tenancy.within(
      tenant_id,
      async (rows) => await rows.resource.findFirst({ where: { tenant_id, resource_id, removed_at: null } }),
    );
    if (row === null) return null;
    const { name, owner_agent_id, settings, digest } = row;
    return {
      resource_id,
      kind: 'mcp_server',
      name,
      owner_agent_id,
      settings: settings as BoundResource['settings'],
      digest,
    };
  }

  /**
   * The token of the connection that lists the tools of the server; empty where nobody connected for that.
   * @throws Fault `mcp.token_unavailable`; `overloaded` while it is being renewed
   */
  async #listingToken(tenantId: string, resource: BoundResource): Promise<Record<string, string>> {
    if (!takesPersons(resource)) return {};
    const found = await this.#persons.find(tenantId, null, resource.resource_id);
    if (found.status === 'ready') return { [`${RESOURCE_SECRET_PREFIX}${PERSON_TOKEN}`]: found.token };
    if (found.status === 'waits') throw new Fault('overloaded');
    if (found.status !== 'unavailable') return {};
    throw new Fault('mcp.token_unavailable', 'the access token that lists its tools could not be renewed');
  }

  /**
   * The image that a program is listed in: the one that its settings name, or the deployment's.
   * @throws Fault `image.unknown`, `image.not_ready`
   */
  async #imageOf(tenant_id: string, { settings }: BoundResource): Promise<Pick<McpClaim, 'image' | 'image_digest'>> {
    if (!isMcpStdio(settings)) return {};
    const { images, tenants } = this.#dependencies;
    if (settings.image === undefined)
      return { image_digest: imageForCall(images.others, { tenant_id, tool_id: '' }) ?? images.sandbox };
    const image = await kernelSql.imageFor(tenants.pool, { tenant: tenant_id, tool: '', name: settings.image });
    const refused = decideImage({ image });
    if (refused !== null) throw new Fault(refused.code, refused.message);
    const { definition, image_digest } = image as ImageFor;
    if (definition === null || image_digest === null) throw new Error(`the image \`${settings.image}\` is incomplete`);
    return { image_digest, image: { definition, image_digest } };
  }

  /** INVARIANT (sealed on the way): a secret leaves sealed to the executor that claims, for this claim alone. */
  async #sealed(
    { tenant_id, resource_id, claim }: { tenant_id: string; resource_id: string; claim: number },
    resource: BoundResource,
    key: Buffer,
  ): Promise<Record<string, string>> {
    const secrets = await this.#values.forResources({ tenant_id, operation_id: resource_id }, [resource], {});
    const values = { ...secrets, ...(await this.#listingToken(tenant_id, resource)) };
    const sealed = await Promise.all(
      Object.entries(values).map(async ([name, value]) => {
        const context = listingContext(tenant_id, resource_id, claim, name);
        return [name, (await sealTo(key, Buffer.from(value, 'utf8'), context)).toString('base64')] as const;
      }),
    );
    return Object.fromEntries(sealed);
  }
}

export type AttemptEnd = Omit<Prisma.mcp_serverUncheckedUpdateManyInput, 'problem'> & {
  readonly problem: McpProblem | null;
};

const claimedBy = ({ tenant_id, resource_id, executor_id, claim }: Attempt) => ({
  tenant_id,
  resource_id,
  executor_id,
  claim,
  claim_until: { not: null },
});
