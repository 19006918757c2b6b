// SPDX-License-Identifier: Apache-2.0
import { Fault, type Id, type TenantId } from '@writ/contract';
import type { ApiKeys, NewKey } from '../store/keys/api-keys.ts';
import {
  AMBIGUOUS,
  claimSameTokens,
  Identities,
  needsConfirmation,
  UNCONFIRMED,
  verifySameIdentity,
  verifySamePersons,
  workloadsOf,
  type CredentialRow,
  type CredentialSelector,
  type NewCredential,
  type DenialKind,
  type NewProvider,
  type ProviderCondition,
  type PersonRow,
  type ProviderInForce,
  type ProviderRow,
} from '../store/identities/identities.ts';

type Kept = ProviderRow & { readonly tenant_id: TenantId; readonly hash_key_id: string };
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An in-memory store of identity providers, credentials and persons. */
export class FakeIdentities extends Identities {
  readonly #keys: ApiKeys;
  #providers: Kept[] = [];
  readonly #credentials = new Map<
    string,
    { tenantId: TenantId; api_key_id: string; provider: string; subject: string }
  >();
  readonly #vouched = new Map<string, CredentialRow>();
  readonly #denied = new Set<string>();
  readonly #persons = new Map<string, PersonRow>();
  #clock = 1_000;

  constructor(keys: ApiKeys) {
    super();
    this.#keys = keys;
  }

  override async providersOf(issuer: string): Promise<ProviderInForce[]> {
    return this.#providers.filter((each) => each.issuer === issuer && each.removed_at === null);
  }

  override async put(
    tenant_id: TenantId,
    provider: NewProvider,
    countMax: number,
    condition?: ProviderCondition,
  ): Promise<ProviderRow> {
    const named = this.#providers.find(
      (each) => each.tenant_id === tenant_id && each.name === provider.name && each.removed_at === null,
    );
    await condition?.(named === undefined ? null : viewOf(named));
    if (!provider.confirmed && needsConfirmation(named ?? null, provider)) throw new Fault('conflict', UNCONFIRMED);
    const at = (this.#clock += 1);
    const others = (await this.providersOf(provider.issuer)).filter((each) => each.provider_id !== named?.provider_id);
    if (others.some((each) => claimSameTokens(each, { ...provider, tenant_id })))
      throw new Fault('conflict', AMBIGUOUS);
    if (named !== undefined) {
      verifySameIdentity(named, provider);
      const { scopes, groups_claim, groups, agent_id, agent_claim, hash_key_id, sign_in } = provider;
      const { workloads, jwks } = workloadsOf(provider);
      const mapping = { scopes, groups_claim, groups, agent_id, agent_claim, workloads, jwks };
      const changed = { ...named, ...mapping, hash_key_id, sign_in, updated_at: at };
      this.#providers = this.#providers.map((each) => (each === named ? changed : each));
      return viewOf(changed);
    }
    const own = (await this.list(tenant_id)).filter(({ issuer }) => issuer === provider.issuer);
    verifySamePersons(own, provider);
    if ((await this.list(tenant_id)).length >= countMax) throw new Fault('limit.exceeded');
    const { confirmed: _confirmed, ...kept } = provider;
    const row: Kept = {
      ...kept,
      ...workloadsOf(provider),
      tenant_id,
      created_at: at,
      updated_at: at,
      removed_at: null,
    };
    this.#providers.push(row);
    return viewOf(row);
  }

  override async list(tenantId: TenantId): Promise<ProviderRow[]> {
    return this.#providers
      .filter((each) => each.tenant_id === tenantId && each.removed_at === null)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(viewOf);
  }

  override async read(tenantId: TenantId, name: string): Promise<ProviderRow | null> {
    const rows = this.#providers.filter((each) => each.tenant_id === tenantId && each.name === name);
    const row = rows.find(({ removed_at }) => removed_at === null) ?? rows.at(-1);
    return row === undefined ? null : viewOf(row);
  }

  override async remove(tenantId: TenantId, providerId: string, condition?: ProviderCondition): Promise<void> {
    const present = this.#providers.find((each) => each.provider_id === providerId && each.removed_at === null);
    await condition?.(present === undefined ? null : viewOf(present));
    this.#providers = this.#providers.map((each) =>
      each.tenant_id === tenantId && each.provider_id === providerId
        ? { ...each, removed_at: each.removed_at ?? (this.#clock += 1) }
        : each,
    );
  }

  override async hasCredential(tenantId: TenantId, hash: Uint8Array): Promise<boolean> {
    return this.#credentials.get(hex(hash))?.tenantId === tenantId;
  }

  override async createCredential(tenantId: TenantId, key: NewKey, of: NewCredential): Promise<void> {
    if (this.#credentials.has(hex(key.hash))) return;
    const { api_key_id } = await this.#keys.create(tenantId, key);
    const stored = { tenantId, api_key_id, provider: of.provider_id, subject: hex(of.subject_hash) };
    this.#credentials.set(hex(key.hash), stored);
  }

  /** Makes a key a credential of the provider, for the one person of the tenant, which `credential` alone knows. */
  vouch(tenantId: TenantId, key: string, provider: string): Buffer {
    const [, id = ''] = /^writ_([0-9a-z]+)_/.exec(key) ?? [];
    const subject_hash = Buffer.alloc(32, tenantId);
    this.#vouched.set(`${tenantId} key_${id}`, { provider_id: provider, subject_hash });
    return subject_hash;
  }

  override async credentialsOf(tenantId: TenantId, of: CredentialSelector, limit: number): Promise<Id<'apiKey'>[]> {
    const except = 'provider_id' in of ? (of.except ?? []).map(hex) : [];
    const theirs = [...this.#credentials].flatMap(([hash, each]) =>
      each.tenantId === tenantId &&
      !except.includes(hash) &&
      (!('provider_id' in of) || each.provider === of.provider_id) &&
      (!('subject_hash' in of) || each.subject === hex(of.subject_hash))
        ? [each]
        : [],
    );
    const rows = await Promise.all(theirs.map(({ api_key_id }) => this.#keys.read(tenantId, api_key_id)));
    return rows
      .filter((row) => !('person_id' in of) || row?.principal === of.person_id)
      .flatMap((row) => (row === null || row.revoked_at !== null ? [] : [row.api_key_id]))
      .sort()
      .slice(0, limit);
  }

  override async credential(tenantId: TenantId, apiKeyId: string): Promise<CredentialRow | null> {
    const found = [...this.#credentials.values()].find(
      (each) => each.tenantId === tenantId && each.api_key_id === apiKeyId,
    );
    if (found === undefined) return this.#vouched.get(`${tenantId} ${apiKeyId}`) ?? null;
    return { provider_id: found.provider, subject_hash: Buffer.from(found.subject, 'hex') };
  }

  override async deny(
    tenantId: TenantId,
    _providerId: string,
    { kind, value_hash }: { readonly kind: DenialKind; readonly value_hash: Uint8Array; readonly denied_by: string },
  ): Promise<void> {
    this.#denied.add(`${tenantId} ${kind} ${hex(value_hash)}`);
  }

  override async isDenied(
    tenantId: TenantId,
    of: { readonly subject_hash: Uint8Array; readonly jti_hash: Uint8Array },
  ): Promise<boolean> {
    return (
      this.#denied.has(`${tenantId} subject ${hex(of.subject_hash)}`) ||
      this.#denied.has(`${tenantId} jti ${hex(of.jti_hash)}`)
    );
  }

  override async personOf(tenantId: TenantId, link: Uint8Array, newId: Id<'person'>): Promise<Id<'person'>> {
    const key = `${tenantId} ${hex(link)}`;
    const found = this.#persons.get(key) ?? { person_id: newId, created_at: (this.#clock += 1) };
    this.#persons.set(key, found);
    return found.person_id;
  }

  override async findPerson(tenantId: TenantId, link: Uint8Array): Promise<PersonRow | null> {
    return this.#persons.get(`${tenantId} ${hex(link)}`) ?? null;
  }

  override async forgetPerson(tenantId: TenantId, personId: string): Promise<boolean> {
    for (const [key, { person_id }] of this.#persons)
      if (key.startsWith(`${tenantId} `) && person_id === personId) return this.#persons.delete(key);
    return false;
  }
}

function viewOf({ tenant_id: _tenant, hash_key_id: _hashes, ...row }: Kept): ProviderRow {
  return row;
}
