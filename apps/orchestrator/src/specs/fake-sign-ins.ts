// SPDX-License-Identifier: Apache-2.0
import { isId, type Id, type TenantId } from '@writ/contract';
import { pageOfRows, parseRowCursor } from '../store/row-cursor.ts';
import type { Identities } from '../store/identities/identities.ts';
import {
  decidePoll,
  DeviceAuthorizations,
  type AskingDevice,
  type DeviceState,
  type NewApproval,
  type NewDevice,
  type Poll,
  type RedeemTimes,
} from '../store/sign-ins/device-authorizations.ts';
import {
  SignIns,
  type ListedSignIn,
  type NewSignIn,
  type SignInRow,
  type SignInsOf,
} from '../store/sign-ins/sign-ins.ts';

interface Kept extends NewSignIn {
  readonly tenantId: TenantId;
  secret_hash: Buffer;
  next_hash: Buffer | null;
  before_hash: Buffer | null;
  before_until: number;
  rotated_at: number;
  readonly created_at: number;
  signed_in_at: number;
  seen_at: number;
  expires_at: number;
  ended_at: number | null;
  ended_by: string | null;
}

/** An in-memory store of sign-in sessions. */
export class FakeSignIns extends SignIns {
  readonly #identities: Identities;
  readonly #rows = new Map<string, Kept>();
  /** how far the clock is ahead, in milliseconds */
  ahead = 0;
  #order = 0;

  constructor(identities: Identities) {
    super();
    this.#identities = identities;
  }

  get now(): number {
    return Date.now() + this.ahead;
  }

  override async create(tenantId: TenantId, session: NewSignIn, maxMs: number): Promise<void> {
    this.insert(tenantId, session, { signed_in_at: this.now, expires_at: this.now + maxMs });
  }

  insert(
    tenantId: TenantId,
    session: NewSignIn,
    times: { readonly signed_in_at: number; readonly expires_at: number },
  ): void {
    // Each is newer than the one before, however fast they come.
    const created_at = Math.max(this.now, this.#order + 1);
    this.#order = created_at;
    const never = { next_hash: null, before_hash: null, before_until: 0, ended_at: null, ended_by: null };
    const { signed_in_at, expires_at } = times;
    const since = { created_at, rotated_at: this.now, seen_at: this.now, signed_in_at, expires_at };
    this.#rows.set(session.sign_in_id, { ...session, tenantId, ...never, ...since });
  }

  override async find(tenantId: TenantId, signInId: string, idleMs: number): Promise<SignInRow | null> {
    const row = this.#of(tenantId, signInId);
    const { now } = this;
    if (row === null || row.ended_at !== null || row.expires_at <= now || row.seen_at + idleMs <= now) return null;
    const provider = (await this.#identities.list(tenantId)).find((each) => each.provider_id === row.provider_id);
    const denied = { subject_hash: row.subject_hash, jti_hash: Buffer.alloc(32) };
    if (provider === undefined || provider.sign_in === null) return null;
    if (await this.#identities.isDenied(tenantId, denied)) return null;
    return {
      ...row,
      before_ms: row.before_hash === null ? 0 : row.before_until - now,
      secret_ms: now - row.rotated_at,
      authenticated_ms: row.authenticated_ms === null ? null : row.authenticated_ms + now - row.signed_in_at,
      idle_ms: now - row.seen_at,
    };
  }

  override async offer(tenantId: TenantId, signInId: string, secret_hash: Buffer, next_hash: Buffer): Promise<void> {
    const row = this.#of(tenantId, signInId);
    if (row !== null && row.next_hash === null && row.secret_hash.equals(secret_hash)) row.next_hash = next_hash;
  }

  override async rotate(tenantId: TenantId, signInId: string, next_hash: Buffer, graceMs: number): Promise<void> {
    const row = this.#of(tenantId, signInId);
    if (row?.next_hash?.equals(next_hash) !== true) return;
    Object.assign(row, { before_hash: row.secret_hash, before_until: this.now + graceMs, secret_hash: next_hash });
    Object.assign(row, { next_hash: null, rotated_at: this.now, seen_at: this.now });
  }

  override async touch(tenantId: TenantId, signInId: string): Promise<void> {
    const row = this.#of(tenantId, signInId);
    if (row !== null) row.seen_at = this.now;
  }

  override async end(
    tenantId: TenantId,
    signInId: string,
    { by, of }: { readonly by: string; readonly of: SignInsOf },
  ): Promise<ListedSignIn | null> {
    if ((await this.read(tenantId, signInId, of)) === null) return null;
    this.#end((row) => row.tenantId === tenantId && row.sign_in_id === signInId, by);
    return await this.read(tenantId, signInId, of);
  }

  override async endWithApproved(
    tenantId: TenantId,
    signInId: string,
    { by, recorded }: { readonly by: string; readonly recorded: ReadonlySet<string> },
  ): Promise<readonly Id<'signIn'>[]> {
    const isOne = (row: Kept) => row.tenantId === tenantId && row.ended_at === null;
    const approved = [...this.#rows.values()].filter((row) => isOne(row) && row.approved_by === signInId);
    const unrecorded = approved.map(({ sign_in_id }) => sign_in_id).filter((id) => !recorded.has(id));
    if (unrecorded.length === 0)
      this.#end((row) => isOne(row) && (row.sign_in_id === signInId || row.approved_by === signInId), by);
    return unrecorded;
  }

  #end(isOne: (row: Kept) => boolean, ended_by: string): void {
    for (const row of this.#rows.values())
      if (isOne(row) && row.ended_at === null) Object.assign(row, { ended_at: this.now, ended_by });
  }

  override async prune(): Promise<number> {
    const over = [...this.#rows].filter(([, row]) => row.expires_at <= this.now);
    for (const [id] of over) this.#rows.delete(id);
    return over.length;
  }

  override async read(tenantId: TenantId, signInId: string, of: SignInsOf): Promise<ListedSignIn | null> {
    const row = this.#of(tenantId, signInId);
    return row === null || !isOf(row, of) ? null : await this.#listed(row);
  }

  override async list(
    tenantId: TenantId,
    of: SignInsOf,
    { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: ListedSignIn[]; next_cursor: string | null }> {
    const after = cursor === null ? null : parseRowCursor('signIn', cursor);
    const rows = [...this.#rows.values()]
      .filter((row) => row.tenantId === tenantId && row.expires_at > this.now && isOf(row, of))
      .filter((row) => after === null || row.created_at < after.created_at)
      .sort((a, b) => b.created_at - a.created_at)
      .slice(0, limit + 1);
    return pageOfRows(await Promise.all(rows.map((row) => this.#listed(row))), limit, ({ sign_in_id }) => sign_in_id);
  }

  #of(tenantId: TenantId, signInId: string): Kept | null {
    const row = isId('signIn', signInId) ? this.#rows.get(signInId) : undefined;
    return row?.tenantId === tenantId ? row : null;
  }

  async #listed(row: Kept): Promise<ListedSignIn> {
    const providers = await this.#identities.list(row.tenantId);
    const { sign_in_id, kind, client, person_id, created_at, signed_in_at, seen_at, expires_at } = row;
    return {
      ...{ sign_in_id, kind, client, person_id, created_at, signed_in_at, seen_at, expires_at },
      provider: providers.find(({ provider_id }) => provider_id === row.provider_id)?.name ?? 'removed',
      ended_at: row.ended_at,
      ended_by: row.ended_by,
    };
  }
}

const isOf = (row: Kept, of: SignInsOf): boolean =>
  of === 'tenant' || row.subject_hash.equals(Buffer.from(of.subject_hash));

interface KeptDevice extends NewDevice {
  readonly tenantId: TenantId;
  state: DeviceState;
  approval: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  polled_at: number | null;
  interval_ms: number;
}

/** An in-memory store of devices that ask. Its clock is that of the sessions. */
export class FakeDeviceAuthorizations extends DeviceAuthorizations {
  readonly #signIns: FakeSignIns;
  readonly #rows: KeptDevice[] = [];

  constructor(signIns: FakeSignIns) {
    super();
    this.#signIns = signIns;
  }

  override async create(
    tenantId: TenantId,
    device: NewDevice,
    { lifetimeMs, intervalMs }: { readonly lifetimeMs: number; readonly intervalMs: number },
  ): Promise<boolean> {
    const { now } = this.#signIns;
    const isTaken = this.#live(tenantId).some(({ user_code_hash }) => user_code_hash.equals(device.user_code_hash));
    if (isTaken) return false;
    this.#rows.push({
      ...device,
      ...{ tenantId, state: 'asked', approval: null, created_at: now, expires_at: now + lifetimeMs },
      ...{ polled_at: null, interval_ms: intervalMs },
    });
    return true;
  }

  override async asking(tenantId: TenantId, userCodeHash: Buffer): Promise<AskingDevice | null> {
    const found = this.#asking(tenantId, userCodeHash);
    return found === undefined ? null : { client: found.client, address: found.address, created_at: found.created_at };
  }

  override async decide(tenantId: TenantId, userCodeHash: Buffer, approval: NewApproval | null): Promise<boolean> {
    if (approval !== null && (await this.#signIns.find(tenantId, approval.approved_by, Infinity)) === null)
      return false;
    const found = this.#asking(tenantId, userCodeHash);
    if (found === undefined) return false;
    Object.assign(found, { approval: approval?.sealed ?? null, state: approval === null ? 'denied' : 'approved' });
    return true;
  }

  override async poll(tenantId: TenantId, deviceHash: Buffer, client: string): Promise<Poll> {
    const found = this.#rows.find(
      (row) => row.tenantId === tenantId && row.device_hash.equals(deviceHash) && row.client === client,
    );
    if (found === undefined) return { answer: 'unknown' };
    const { now } = this.#signIns;
    const polled_ms = found.polled_at === null ? null : now - found.polled_at;
    const { poll, interval_ms } = decidePoll({ ...found, left_ms: found.expires_at - now, polled_ms });
    Object.assign(found, { polled_at: now, interval_ms });
    return poll;
  }

  override async redeem(
    tenantId: TenantId,
    deviceHash: Buffer,
    session: NewSignIn,
    times: RedeemTimes,
  ): Promise<boolean> {
    const approver = await this.#signIns.find(tenantId, String(session.approved_by), times.idleMs);
    const found = this.#live(tenantId).find((row) => row.device_hash.equals(deviceHash) && row.state === 'approved');
    if (found === undefined) return false;
    Object.assign(found, { state: 'used', approval: null });
    if (approver === null) return false;
    this.#signIns.insert(tenantId, session, times);
    return true;
  }

  #live(tenantId: TenantId): KeptDevice[] {
    return this.#rows.filter((row) => row.tenantId === tenantId && row.expires_at > this.#signIns.now);
  }

  #asking(tenantId: TenantId, hash: Buffer): KeptDevice | undefined {
    return this.#live(tenantId).find((row) => row.user_code_hash.equals(hash) && row.state === 'asked');
  }
}
