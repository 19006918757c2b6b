// SPDX-License-Identifier: Apache-2.0
import { Fault, isServiceAccount, type Id, type TenantId } from '@writ/contract';
import type { MemberStanding } from '../store/members/members.ts';
import { NOT_ACTIVE } from '../store/keys/principals.ts';
import { badCursor } from '@writ/paging';
import type { Role } from '../edge/requests/route.ts';
import {
  ApiKeys,
  CREDENTIAL_PREFIX,
  decideRotation,
  LAST_ADMINISTRATOR,
  LAST_OVERLAP,
  LAST_OVERLAP_MS_MIN,
  REPLACED_SECRET,
  type ApiKeyRow,
  type KeyRotation,
  type NewKey,
  type PresentedKey,
} from '../store/keys/api-keys.ts';

/** The members, as keys know them. */
interface MembersOfKeys {
  readonly stateOf: (memberId: string) => MemberStanding['state'] | null;
  readonly findFor: (
    tenantId: TenantId,
    memberId: string | null,
    personId: string | null,
    principal: string,
  ) => Promise<MemberStanding | null>;
}

interface Kept extends ApiKeyRow {
  readonly tenant_id: TenantId;
  readonly hash: string;
  /** milliseconds since the epoch */
  readonly made_at: number;
  readonly former: readonly { readonly hash: string; readonly ends_at: number }[];
}

const isValid = ({ revoked_at, expires_at }: Kept, now: number): boolean =>
  revoked_at === null && (expires_at === null || expires_at > now);

const mayLast = ({ role, revoked_at, expires_at, scopes, created_by }: Kept): boolean =>
  role === 'admin' &&
  revoked_at === null &&
  expires_at === null &&
  scopes.length === 0 &&
  !created_by.startsWith(CREDENTIAL_PREFIX);

/** An in-memory store of API keys. */
export class FakeApiKeys extends ApiKeys {
  readonly #rows: Kept[] = [];
  readonly #now: () => number;
  /** the members, where there are some */
  members: MembersOfKeys | null = null;
  /** revocations take turns */
  #revoking: Promise<unknown> = Promise.resolve();

  /** @param now milliseconds since the epoch */
  constructor(now: () => number = Date.now) {
    super();
    this.#now = now;
  }

  override async present(hash: Uint8Array): Promise<PresentedKey | null> {
    const [text, now] = [Buffer.from(hash).toString('hex'), this.#now()];
    const formerOf = ({ former }: Kept) => former.find((each) => each.hash === text && each.ends_at > now);
    const row = this.#rows.find((each) => each.hash === text || formerOf(each) !== undefined);
    if (row === undefined || !isValid(row, now) || this.#isOrphan(row, now)) return null;
    if (this.isRefused(row.member_id)) return null;
    const { tenant_id, api_key_id, role, agent_id, principal, tools, scopes, expires_at, bound_token } = row;
    const former = formerOf(row);
    const ends = [expires_at, former?.ends_at ?? null].filter((end) => end !== null);
    return {
      caller: {
        tenant_id,
        api_key_id,
        role,
        agent_id,
        ...(principal === null ? {} : { principal }),
        ...(tools === null ? {} : { tools: [...tools] }),
      },
      scopes,
      expires_at: ends.length === 0 ? null : Math.min(...ends),
      is_former: former !== undefined,
      bound_token,
    };
  }

  override async recordUse(apiKeyIds: readonly string[]): Promise<void> {
    const last_used_at = Math.floor(this.#now() / 60_000) * 60_000;
    for (const row of this.#rows.filter((each) => apiKeyIds.includes(each.api_key_id)))
      this.#replace(row, { ...row, last_used_at });
  }

  /** A credential that was exchanged ends with the key that it was exchanged for. */
  #isOrphan({ bound_token, created_by, made_at }: Kept, now: number): boolean {
    const origin = bound_token === null ? undefined : this.#rows.find((each) => each.api_key_id === created_by);
    if (origin === undefined) return false;
    const { rotated_at, former_until } = origin;
    const isReplaced = rotated_at !== null && former_until !== null && made_at <= rotated_at && former_until <= now;
    return !isValid(origin, now) || isReplaced;
  }

  override async create(
    tenant_id: TenantId,
    { hash, principal = null, tools = null, scopes = [], bound_token = null, expires_at = null, ...key }: NewKey,
  ): Promise<ApiKeyRow> {
    if (this.#rows.some((each) => each.api_key_id === key.api_key_id)) throw new Error('the id is taken');
    const known = principal !== null && isServiceAccount(principal) ? principal : (key.member_id ?? null);
    const person = key.person_id ?? null;
    const member = principal === null ? null : await this.members?.findFor(tenant_id, known, person, principal);
    if (member !== undefined && member !== null && member.state !== 'active') throw new Fault('conflict', NOT_ACTIVE);
    const { person_id: _person, ...made } = key;
    const row: Kept = {
      ...made,
      principal,
      member_id: principal === null ? null : (member?.member_id ?? null),
      tools: tools === null ? null : [...tools],
      tenant_id,
      scopes: [...scopes],
      bound_token,
      created_at: 1_000 + this.#rows.length,
      revoked_at: null,
      expires_at,
      last_used_at: null,
      rotated_at: null,
      former_until: null,
      former: [],
      made_at: this.#now(),
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
    const rows = this.#rows.filter((each) => each.tenant_id === tenantId && each.bound_token === null).reverse();
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
        each.tenant_id === tenantId &&
        isValid(each, this.#now()) &&
        each.scopes.length === 0 &&
        (each.principal ?? each.api_key_id) === principal,
    );
    return [...new Set(theirs.map(({ role }) => role))];
  }

  override revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null> {
    return this.#inTurn(() => this.#revoke(tenantId, apiKeyId, before));
  }

  override rotate(
    tenantId: TenantId,
    apiKeyId: string,
    rotation: KeyRotation,
    before: () => Promise<void>,
  ): Promise<ApiKeyRow | null> {
    return this.#inTurn(() => this.#rotate(tenantId, apiKeyId, rotation, before));
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = this.#revoking.then(change);
    this.#revoking = mine.catch(() => null);
    return mine;
  }

  async #revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null> {
    const row = this.#find(tenantId, apiKeyId);
    if (row === undefined) return null;
    this.#verifyOthersLast(row);
    await before?.();
    return this.#replace(row, { ...row, revoked_at: row.revoked_at ?? 2_000 });
  }

  async #rotate(
    tenantId: TenantId,
    apiKeyId: string,
    { hash, presented, overlap_ms, expires_at }: KeyRotation,
    before: () => Promise<void>,
  ): Promise<ApiKeyRow | null> {
    const row = this.#find(tenantId, apiKeyId);
    if (row === undefined) return null;
    const [now, reason] = [this.#now(), decideRotation(row, this.#now())];
    if (reason !== null) throw new Fault('conflict', reason);
    if (presented !== undefined && Buffer.from(presented).toString('hex') !== row.hash)
      throw new Fault('conflict', REPLACED_SECRET);
    if (typeof expires_at === 'number') this.#verifyOthersLast(row);
    if (overlap_ms < LAST_OVERLAP_MS_MIN) this.#verifyOthersLast(row, LAST_OVERLAP);
    await before();
    const until = now + overlap_ms;
    const earlier = row.former.map((each) => ({ ...each, ends_at: Math.min(each.ends_at, until) }));
    return this.#replace(row, {
      ...row,
      hash: Buffer.from(hash).toString('hex'),
      rotated_at: now,
      former_until: until,
      former: [...earlier, { hash: row.hash, ends_at: until }],
      ...(expires_at === undefined ? {} : { expires_at }),
    });
  }

  #verifyOthersLast(row: Kept, reason = LAST_ADMINISTRATOR): void {
    const lasting = this.#rows.filter((each) => each.tenant_id === row.tenant_id && this.#isLasting(each));
    if (lasting.length === 1 && lasting[0] === row) throw new Fault('conflict', reason);
  }

  #isLasting(row: Kept): boolean {
    return mayLast(row) && !this.isRefused(row.member_id);
  }

  isRefused(memberId: string | null): boolean {
    return memberId !== null && (this.members?.stateOf(memberId) ?? 'active') !== 'active';
  }

  /** Whether the tenant has a lasting key of somebody else. */
  hasLastingBeside(tenantId: TenantId, memberId: string): boolean {
    return this.#rows.some(
      (each) => each.tenant_id === tenantId && this.#isLasting(each) && each.member_id !== memberId,
    );
  }

  /** The member whose keys carry the name. */
  memberNamed(tenantId: TenantId, principal: string): string | null {
    return this.#named(tenantId, principal).find(({ member_id }) => member_id !== null)?.member_id ?? null;
  }

  /** Keys of the principal that are nobody's become the member's. */
  take(tenantId: TenantId, principal: string, member_id: Id<'member'>): void {
    for (const row of this.#named(tenantId, principal))
      if (row.member_id === null) this.#replace(row, { ...row, member_id });
  }

  #named(tenantId: TenantId, principal: string): Kept[] {
    return this.#rows.filter((each) => each.tenant_id === tenantId && each.principal === principal);
  }

  #replace(row: Kept, by: Kept): ApiKeyRow {
    this.#rows.splice(this.#rows.indexOf(row), 1, by);
    return viewOf(by);
  }

  override async revokeAll(tenantId: TenantId): Promise<void> {
    for (const [index, row] of this.#rows.entries())
      if (row.tenant_id === tenantId) this.#rows[index] = { ...row, revoked_at: row.revoked_at ?? 2_000 };
  }

  #find(tenantId: TenantId, apiKeyId: string): Kept | undefined {
    return this.#rows.find((each) => each.tenant_id === tenantId && each.api_key_id === apiKeyId);
  }
}

function viewOf({ tenant_id: _tenant, hash: _hash, former: _former, made_at: _made, ...row }: Kept): ApiKeyRow {
  return row;
}
