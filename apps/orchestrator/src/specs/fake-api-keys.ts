// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type TenantId } from '@writ/contract';
import { badCursor } from '@writ/paging';
import type { Role } from '../edge/requests/route.ts';
import { ApiKeys, type ApiKeyRow, type NewKey } from '../store/keys/api-keys.ts';

interface Kept extends ApiKeyRow {
  readonly tenant_id: TenantId;
  readonly hash: string;
}

/** An in-memory store of API keys. */
export class FakeApiKeys extends ApiKeys {
  readonly #rows: Kept[] = [];
  /** revocations take turns */
  #revoking: Promise<unknown> = Promise.resolve();

  override async authenticate(hash: Uint8Array): Promise<Caller | null> {
    const row = this.#rows.find((each) => each.hash === Buffer.from(hash).toString('hex') && each.revoked_at === null);
    if (row === undefined) return null;
    const { tenant_id, api_key_id, role, agent_id, principal, tools } = row;
    return {
      tenant_id,
      api_key_id,
      role,
      agent_id,
      ...(principal === null ? {} : { principal }),
      ...(tools === null ? {} : { tools: [...tools] }),
    };
  }

  override async create(
    tenant_id: TenantId,
    { hash, principal = null, tools = null, ...key }: NewKey,
  ): Promise<ApiKeyRow> {
    if (this.#rows.some((each) => each.api_key_id === key.api_key_id)) throw new Error('the id is taken');
    const row: Kept = {
      ...key,
      principal,
      tools: tools === null ? null : [...tools],
      tenant_id,
      created_at: 1_000 + this.#rows.length,
      revoked_at: null,
      hash: Buffer.from(hash).toString('hex'),
    };
    this.#rows.push(row);
    return viewOf(row);
  }

  override async read(tenantId: TenantId, apiKeyId: string): Promise<ApiKeyRow | null> {
    const row = this.#find(tenantId, apiKeyId);
    return row === undefined ? null : viewOf(row);
  }

  override async list(
    tenantId: TenantId,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Promise<{ items: ApiKeyRow[]; next_cursor: string | null }> {
    const rows = this.#rows.filter((each) => each.tenant_id === tenantId).reverse();
    const from = cursor === null ? 0 : rows.findIndex((each) => each.api_key_id === cursor) + 1;
    if (cursor !== null && from === 0) throw badCursor();
    const items = rows.slice(from, from + limit);
    return {
      items: items.map(viewOf),
      next_cursor: rows.length > from + limit ? (items.at(-1)?.api_key_id ?? null) : null,
    };
  }

  override async rolesOf(tenantId: TenantId, principal: string): Promise<Role[]> {
    const theirs = this.#rows.filter(
      (each) =>
        each.tenant_id === tenantId && each.revoked_at === null && (each.principal ?? each.api_key_id) === principal,
    );
    return [...new Set(theirs.map(({ role }) => role))];
  }

  override revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null> {
    const mine = this.#revoking.then(() => this.#revoke(tenantId, apiKeyId, before));
    this.#revoking = mine.catch(() => null);
    return mine;
  }

  async #revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null> {
    const row = this.#find(tenantId, apiKeyId);
    if (row === undefined) return null;
    const admins = this.#rows.filter(
      (each) => each.tenant_id === tenantId && each.role === 'admin' && each.revoked_at === null,
    );
    if (admins.length === 1 && admins[0] === row)
      throw new Fault('conflict', 'it is the last valid key of an administrator; make another one first');
    await before?.();
    const revoked = { ...row, revoked_at: row.revoked_at ?? 2_000 };
    this.#rows.splice(this.#rows.indexOf(row), 1, revoked);
    return viewOf(revoked);
  }

  #find(tenantId: TenantId, apiKeyId: string): Kept | undefined {
    return this.#rows.find((each) => each.tenant_id === tenantId && each.api_key_id === apiKeyId);
  }
}

function viewOf({ tenant_id: _tenant, hash: _hash, ...row }: Kept): ApiKeyRow {
  return row;
}
