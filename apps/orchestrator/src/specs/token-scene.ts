// SPDX-License-Identifier: Apache-2.0
// Access tokens of a test issuer, and everything that finds out who their callers are.
import { newId } from '@writ/nest-kit';
import type { CredentialRecords } from '../edge/access/oauth/credentials.ts';
import { IssuerKeys } from '../edge/access/oauth/issuer-keys.ts';
import { IdentityHashes, PersonLinks } from '../edge/access/oauth/person-links.ts';
import { ProtectedResource } from '../edge/access/oauth/protected-resource.ts';
import { TokenCallers } from '../edge/access/oauth/token-callers.ts';
import { Callers } from '../edge/access/identity/callers.ts';
import { MemberLinks } from '../edge/access/identity/member-links.ts';
import { MemberSeal } from '../edge/access/identity/member-seal.ts';
import { WorkloadCallers } from '../edge/access/workloads/workload-callers.ts';
import type { NewProvider } from '../store/identities/identities.ts';
import { FakeApiKeys } from './fake-api-keys.ts';
import { FakeIdentities } from './fake-identities.ts';
import { FakeMembers } from './fake-members.ts';
import { RESOURCE, type TestIssuer } from './test-issuer.ts';

/** The hashes of all scenes: of one key. */
export const sceneHashes = (): IdentityHashes => new IdentityHashes(Buffer.alloc(32, 1));

/** What a spec decides itself. */
export interface TokenSceneParts {
  readonly records: CredentialRecords;
  readonly now: () => number;
  /** called for each request that is counted against the tenant's rate */
  readonly counted?: () => void;
}

/** Empty stores, and callers of tokens above them. */
export class TokenScene {
  readonly keys = new FakeApiKeys();
  readonly identities = new FakeIdentities(this.keys);
  readonly store = new FakeMembers(this.keys, this.identities);
  readonly hashes = sceneHashes();
  readonly persons: PersonLinks;
  readonly members: MemberLinks;
  readonly #parts: TokenSceneParts;

  constructor(parts: TokenSceneParts) {
    const { hashes, identities } = this;
    this.#parts = parts;
    this.persons = new PersonLinks(identities, hashes, parts.now);
    const seal = new MemberSeal(Buffer.alloc(32, 1));
    this.members = new MemberLinks({ members: this.store, hashes, seal, monotonic: parts.now });
  }

  /** Callers of tokens, whose issuers' documents `fetchDocument` gets. */
  callers(fetchDocument: TestIssuer['fetchDocument']): TokenCallers {
    const { identities, keys, hashes, persons, members } = this;
    const { records, now, counted = () => undefined } = this.#parts;
    const issuerKeys = new IssuerKeys(fetchDocument, now);
    const rate = { consumeTenant: counted };
    return new TokenCallers({
      ...{ identities, hashes, members, issuerKeys },
      workloads: new WorkloadCallers({
        ...{ identities, apiKeys: keys, hashes, members, records, issuerKeys, rate, now, audience: RESOURCE },
        ...{ newPerMinuteMax: 20, monotonic: now },
      }),
      resource: new ProtectedResource(RESOURCE),
      callers: new Callers({
        ...{ identities, apiKeys: keys, hashes, persons, members, records, newPerMinuteMax: 20, monotonic: now },
      }),
      rate,
      now,
      monotonic: now,
    });
  }
}

/** Gets the documents of several issuers. */
export const documentsOf = (...issuers: readonly TestIssuer[]): TestIssuer['fetchDocument'] => {
  const byHost = new Map(issuers.map((each) => [new URL(each.issuer).host, each]));
  return async (url) => await (byHost.get(new URL(url).host) as TestIssuer).fetchDocument(url);
};

/** A registration of the issuer with one scope for each role, confirmed. */
export const sceneProvider = (
  issuer: Pick<TestIssuer, 'issuer'>,
  agent_id: string,
  more: Partial<NewProvider> = {},
): NewProvider => ({
  provider_id: newId('identityProvider'),
  name: 'corp',
  issuer: issuer.issuer,
  audience: RESOURCE,
  tenant_claim: null,
  tenant_value: null,
  scopes: [
    { scope: 'use', role: 'agent' },
    { scope: 'approve', role: 'operator' },
    { scope: 'manage', role: 'admin' },
  ],
  groups_claim: null,
  groups: [],
  person_claim: null,
  agent_id,
  agent_claim: null,
  hash_key_id: sceneHashes().keyId,
  created_by: newId('apiKey'),
  sign_in: null,
  confirmed: true,
  ...more,
});
