// SPDX-License-Identifier: Apache-2.0
import { PrismaPg } from '@prisma/adapter-pg';
import { Fault, isServiceAccount, type Id, type TenantId } from '@writ/contract';
import { faultOf, type Pool } from '@writ/database';
import { PrismaClient, type ApiKey, type Prisma } from '../../generated/prisma/client.ts';
import { orchestratorSql } from '../functions.ts';
import {
  ApiKeys,
  decideRotation,
  LAST_ADMINISTRATOR,
  LAST_OVERLAP,
  LAST_OVERLAP_MS_MIN,
  REPLACED_SECRET,
  type ApiKeyRow,
  type KeyRotation,
  type NewKey,
  type PresentedKey,
} from './api-keys.ts';
import { LASTING_KEYS, LOCK_ADMINISTRATORS } from './lasting-keys.ts';
import { LOCK_PRINCIPAL, NOT_ACTIVE, principalLock } from './principals.ts';
import type { Role } from './roles.ts';
import { pageOfRows, parseRowCursor } from '../row-cursor.ts';

type Transaction = Prisma.TransactionClient;

/** A revocation waits for the kernel within its transaction, ten seconds at most. */
const BOUNDS = { maxWait: 5_000, timeout: 20_000 } as const;

/** The schema `orchestrator` of Postgres: through Prisma, except for the query that every request needs. */
export class PrismaApiKeys extends ApiKeys {
  readonly #pool: Pool;
  readonly #prisma: PrismaClient;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
    this.#prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: 'orchestrator' }) });
  }

  override async present(hash: Uint8Array): Promise<PresentedKey | null> {
    const row = await orchestratorSql.authenticateCaller(this.#pool, { hash: Buffer.from(hash) });
    if (row === null) return null;
    const { principal, tools, scopes, expires_at, is_former, bound_token, ...owner } = row;
    const caller = {
      ...owner,
      ...(principal === null ? {} : { principal }),
      ...(tools === null ? {} : { tools: [...tools] }),
    };
    return { caller, scopes, expires_at, is_former, bound_token };
  }

  override async recordUse(apiKeyIds: readonly string[]): Promise<void> {
    await orchestratorSql.useKeys(this.#pool, { keys: apiKeyIds });
  }

  override create(tenantId: TenantId, key: NewKey): Promise<ApiKeyRow> {
    return this.#within(tenantId, async (tx) => {
      const memberId = await holdMemberOf(tx, tenantId, key);
      return viewOf(
        await tx.apiKey.create({
          data: {
            memberId,
            apiKeyId: key.api_key_id,
            tenantId,
            name: key.name,
            role: key.role,
            agentId: key.agent_id,
            principal: key.principal ?? null,
            tools: [...(key.tools ?? [])],
            scopes: [...(key.scopes ?? [])],
            boundToken: key.bound_token ?? null,
            expiresAt: bigintOf(key.expires_at ?? null),
            keyHash: new Uint8Array(key.hash),
            createdBy: key.created_by,
          },
        }),
      );
    });
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
        where: { tenantId, boundToken: null, ...older },
        orderBy: [{ createdAt: 'desc' }, { apiKeyId: 'desc' }],
        take: limit + 1,
      });
      return pageOfRows(rows.map(viewOf), limit, (row) => row.api_key_id);
    });
  }

  override rolesOf(tenantId: TenantId, principal: string): Promise<Role[]> {
    return this.#within(tenantId, async (tx) => {
      const whose = { OR: [{ principal }, { principal: null, apiKeyId: principal }] };
      const now = await nowOf(tx);
      const valid = { revokedAt: null, AND: { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] } };
      const rows = await tx.apiKey.findMany({
        where: { tenantId, scopes: { isEmpty: true }, ...valid, ...whose },
        distinct: ['role'],
        select: { role: true },
      });
      return rows.map(({ role }) => role as Role);
    });
  }

  override revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null> {
    return this.#within(tenantId, async (tx) => {
      await lockAdministrators(tx);
      const row = await tx.apiKey.findFirst({ where: { apiKeyId, tenantId } });
      if (row === null) return null;
      await verifyOthersLast(tx, row);
      await before?.();
      // Waiting runs of the key are claimed next and end, because the key is then found revoked.
      await tx.$executeRaw`
        UPDATE orchestrator.run SET wake_at = orchestrator.now_ms() WHERE created_by = ${apiKeyId} AND state = 'waiting'`;
      if (row.revokedAt !== null) return viewOf(row);
      await tx.$executeRaw`UPDATE orchestrator.api_key SET revoked_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE api_key_id = ${apiKeyId} AND revoked_at IS NULL`;
      return viewOf(await tx.apiKey.findFirstOrThrow({ where: { apiKeyId, tenantId } }));
    });
  }

  override revokeAll(tenantId: TenantId): Promise<void> {
    return this.#within(tenantId, async (tx) => {
      await tx.$executeRaw`UPDATE orchestrator.api_key SET revoked_at = orchestrator.now_ms() WHERE tenant_id = ${tenantId} AND revoked_at IS NULL`;
      await tx.$executeRaw`UPDATE orchestrator.run SET wake_at = orchestrator.now_ms() WHERE tenant_id = ${tenantId} AND state = 'waiting'`;
    });
  }

  override rotate(
    tenantId: TenantId,
    apiKeyId: string,
    { hash, presented, overlap_ms, expires_at }: KeyRotation,
    before: () => Promise<void>,
  ): Promise<ApiKeyRow | null> {
    return this.#within(tenantId, async (tx) => {
      await lockAdministrators(tx);
      await tx.$queryRaw`SELECT api_key_id FROM orchestrator.api_key WHERE api_key_id = ${apiKeyId} FOR UPDATE`;
      const row = await tx.apiKey.findFirst({ where: { apiKeyId, tenantId } });
      if (row === null) return null;
      const reason = decideRotation(viewOf(row), Number(await nowOf(tx)));
      if (reason !== null) throw new Fault('conflict', reason);
      if (presented !== undefined && !Buffer.from(row.keyHash).equals(presented))
        throw new Fault('conflict', REPLACED_SECRET);
      if (typeof expires_at === 'number') await verifyOthersLast(tx, row);
      if (overlap_ms < LAST_OVERLAP_MS_MIN) await verifyOthersLast(tx, row, LAST_OVERLAP);
      await before();
      const now = await nowOf(tx);
      const until = now + BigInt(overlap_ms);
      await tx.formerSecret.updateMany({ where: { apiKeyId, endsAt: { gt: until } }, data: { endsAt: until } });
      await tx.formerSecret.create({ data: { secretHash: row.keyHash, tenantId, apiKeyId, endsAt: until } });
      const end = expires_at === undefined ? {} : { expiresAt: bigintOf(expires_at) };
      const data = { keyHash: new Uint8Array(hash), rotatedAt: now, formerUntil: until, ...end };
      return viewOf(await tx.apiKey.update({ where: { apiKeyId }, data }));
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

/** Administrators who end each other's keys at the same moment wait for each other here. */
async function lockAdministrators(tx: Transaction): Promise<void> {
  await tx.$queryRawUnsafe(LOCK_ADMINISTRATORS);
}

/** INVARIANT (never locked out): each tenant has a lasting key besides one that ends. Fault `conflict`. */
async function verifyOthersLast(
  tx: Transaction,
  { tenantId, apiKeyId }: ApiKey,
  reason = LAST_ADMINISTRATOR,
): Promise<void> {
  const lasting = await tx.$queryRawUnsafe<{ apiKeyId: string }[]>(
    `${LASTING_KEYS} AND k.tenant_id = $1 LIMIT 2`,
    tenantId,
  );
  if (lasting.length === 1 && lasting[0]?.apiKeyId === apiKeyId) throw new Fault('conflict', reason);
}

/**
 * The member of a new key's person, who stays active until the transaction ends; null where nobody is. A person who
 * becomes a member at this moment waits for the key, or the key for the member.
 */
async function holdMemberOf(
  tx: Transaction,
  tenantId: TenantId,
  { principal = null, person_id = null, member_id = null }: NewKey,
): Promise<string | null> {
  if (principal === null) return null;
  const known = isServiceAccount(principal) ? principal : member_id;
  await tx.$executeRawUnsafe(LOCK_PRINCIPAL, principalLock(tenantId, principal));
  const [member] = await tx.$queryRaw<{ member_id: string; state: string }[]>`
    SELECT member_id, state FROM orchestrator.member
    WHERE member_id = ${known}::text OR (${known}::text IS NULL AND (person_id = ${person_id}::text
      OR member_id IN (SELECT n.member_id FROM orchestrator.member_name n WHERE n.person_id = ${person_id}::text)
      OR member_id IN (SELECT k.member_id FROM orchestrator.api_key k WHERE k.tenant_id = ${tenantId} AND k.principal = ${principal})))
    ORDER BY person_id = ${person_id}::text DESC NULLS LAST FOR SHARE`;
  if (member === undefined) return null;
  if (member.state !== 'active') throw new Fault('conflict', NOT_ACTIVE);
  return member.member_id;
}

/** The time of the database. */
async function nowOf(tx: Transaction): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ now: bigint }[]>`SELECT orchestrator.now_ms() AS now`;
  return BigInt(row?.now ?? 0);
}

const bigintOf = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value));

function viewOf(row: ApiKey): ApiKeyRow {
  return {
    api_key_id: row.apiKeyId,
    name: row.name,
    role: row.role as Role,
    agent_id: row.agentId,
    principal: row.principal,
    member_id: row.memberId as Id<'member'> | null,
    tools: row.role === 'worker' ? row.tools : null,
    scopes: row.scopes,
    bound_token: row.boundToken,
    created_at: Number(row.createdAt),
    created_by: row.createdBy,
    revoked_at: numberOf(row.revokedAt),
    expires_at: numberOf(row.expiresAt),
    last_used_at: numberOf(row.lastUsedAt),
    rotated_at: numberOf(row.rotatedAt),
    former_until: numberOf(row.formerUntil),
  };
}
