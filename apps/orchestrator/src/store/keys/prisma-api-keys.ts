// SPDX-License-Identifier: Apache-2.0
import { PrismaPg } from '@prisma/adapter-pg';
import { Fault, ID_KINDS, type Caller, type TenantId } from '@writ/contract';
import { faultOf, type Pool } from '@writ/database';
import { PrismaClient, type ApiKey, type Prisma } from '../../generated/prisma/client.ts';
import { orchestratorSql } from '../functions.ts';
import { ApiKeys, type ApiKeyRow, type NewKey } from './api-keys.ts';
import type { Role } from './roles.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';

type Transaction = Prisma.TransactionClient;

/** A revocation waits for the kernel within its transaction, ten seconds at most. */
const BOUNDS = { maxWait: 5_000, timeout: 20_000 } as const;

/** Credentials of identity providers: whether one is good, the issuer decides. So none counts as a last key. */
const CREDENTIAL = { createdBy: { startsWith: `${ID_KINDS.identityProvider}_` } };
const isHeld = ({ createdBy }: ApiKey): boolean => !createdBy.startsWith(CREDENTIAL.createdBy.startsWith);

/** The schema `orchestrator` of Postgres: through Prisma, except for the query that every request needs. */
export class PrismaApiKeys extends ApiKeys {
  readonly #pool: Pool;
  readonly #prisma: PrismaClient;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
    this.#prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: 'orchestrator' }) });
  }

  override async authenticate(hash: Uint8Array): Promise<Caller | null> {
    const row = await orchestratorSql.authenticateKey(this.#pool, { hash: Buffer.from(hash) });
    if (row === null) return null;
    const { principal, tools, ...caller } = row;
    return {
      ...caller,
      ...(principal === null ? {} : { principal }),
      ...(tools === null ? {} : { tools: [...tools] }),
    };
  }

  override create(tenantId: TenantId, key: NewKey): Promise<ApiKeyRow> {
    return this.#within(tenantId, async (tx) =>
      viewOf(
        await tx.apiKey.create({
          data: {
            apiKeyId: key.api_key_id,
            tenantId,
            name: key.name,
            role: key.role,
            agentId: key.agent_id,
            principal: key.principal ?? null,
            tools: [...(key.tools ?? [])],
            keyHash: new Uint8Array(key.hash),
            createdBy: key.created_by,
          },
        }),
      ),
    );
  }

  override read(tenantId: TenantId, apiKeyId: string): Promise<ApiKeyRow | null> {
    return this.#within(tenantId, async (tx) => {
      const row = await tx.apiKey.findFirst({ where: { apiKeyId, tenantId } });
      return row && viewOf(row);
    });
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<{ items: ApiKeyRow[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('apiKey', cursor);
    const older = after && {
      OR: [
        { createdAt: { lt: BigInt(after.created_at) } },
        { createdAt: BigInt(after.created_at), apiKeyId: { lt: after.id } },
      ],
    };
    return await this.#within(tenantId, async (tx) => {
      const rows = await tx.apiKey.findMany({
        where: { tenantId, ...older },
        orderBy: [{ createdAt: 'desc' }, { apiKeyId: 'desc' }],
        take: limit + 1,
      });
      return pageOfRows(rows.map(viewOf), limit, (row) => row.api_key_id);
    });
  }

  override rolesOf(tenantId: TenantId, principal: string): Promise<Role[]> {
    return this.#within(tenantId, async (tx) => {
      const whose = { OR: [{ principal }, { principal: null, apiKeyId: principal }] };
      const rows = await tx.apiKey.findMany({
        where: { tenantId, revokedAt: null, ...whose },
        distinct: ['role'],
        select: { role: true },
      });
      return rows.map(({ role }) => role as Role);
    });
  }

  override revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null> {
    return this.#within(tenantId, async (tx) => {
      // Two administrators who revoke each other at the same moment wait for each other here.
      await tx.$queryRaw`SELECT api_key_id FROM orchestrator.api_key WHERE role = 'admin' AND revoked_at IS NULL ORDER BY api_key_id FOR UPDATE`;
      const row = await tx.apiKey.findFirst({ where: { apiKeyId, tenantId } });
      if (row === null) return null;
      if (
        row.revokedAt === null &&
        row.role === 'admin' &&
        isHeld(row) &&
        (await tx.apiKey.count({ where: { tenantId, role: 'admin', revokedAt: null, NOT: CREDENTIAL } })) === 1
      ) {
        throw new Fault('conflict', 'it is the last valid key of an administrator; make another one first');
      }
      await before?.();
      // Waiting runs of the key are claimed next and end, because the key is then found revoked.
      await tx.$executeRaw`
        UPDATE orchestrator.run SET wake_at = orchestrator.now_ms() WHERE created_by = ${apiKeyId} AND state = 'waiting'`;
      if (row.revokedAt !== null) return viewOf(row);
      await tx.$executeRaw`UPDATE orchestrator.api_key SET revoked_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE api_key_id = ${apiKeyId} AND revoked_at IS NULL`;
      return viewOf(await tx.apiKey.findFirstOrThrow({ where: { apiKeyId, tenantId } }));
    });
  }

  async close(): Promise<void> {
    await this.#prisma.$disconnect();
  }

  /** Row-level security shows the tenant's rows and no others. */
  async #within<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#prisma.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT set_config('writ.tenant_id', ${tenantId}, true)`;
        return await work(tx);
      }, BOUNDS);
    } catch (error) {
      throw faultOf(error);
    }
  }
}

function viewOf(row: ApiKey): ApiKeyRow {
  return {
    api_key_id: row.apiKeyId,
    name: row.name,
    role: row.role as Role,
    agent_id: row.agentId,
    principal: row.principal,
    tools: row.role === 'worker' ? row.tools : null,
    created_at: Number(row.createdAt),
    created_by: row.createdBy,
    revoked_at: row.revokedAt === null ? null : Number(row.revokedAt),
  };
}
