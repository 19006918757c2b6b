// SPDX-License-Identifier: Apache-2.0
import { idSchema, ProfileName } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Instant, orNull } from '../../edge/requests/fields.ts';
import { WorkerTools } from '../../edge/access/key-schemas.ts';
import { GROUP_CHARS_MAX } from '../../edge/access/identity/roles.ts';
import { SUBJECT_CHARS_MAX } from '../../edge/access/workloads/workload-token.ts';
import { ROLES } from '../../edge/requests/route.ts';
import { PROFILES, WORKLOAD_ROLES } from '../../store/identities/workloads.ts';

const Claim = (description: string) => Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$', description });
/** RFC 6749 §3.3. */
const Scope = Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$', description: 'a scope of the issuer' });

export const ScopeRole = Type.Object({ scope: Scope, role: Type.Enum(ROLES) }, closed);

export const GroupRole = Type.Object(
  {
    group: Type.String({
      minLength: 1,
      maxLength: GROUP_CHARS_MAX,
      pattern: '^[^\\x00-\\x1f\\x7f]+$',
      description: 'a group, exactly as the issuer writes it',
    }),
    role: Type.Enum(ROLES),
  },
  closed,
);

const mapping = {
  scopes: Type.Array(ScopeRole, { minItems: 1, maxItems: 32, description: 'which scope gives which role' }),
  groups_claim: orNull(
    Claim('the claim that lists the groups of the person, a list of texts; null: groups give nothing'),
  ),
  groups: Type.Array(GroupRole, { maxItems: 64, description: 'which group gives which role' }),
  person_claim: orNull(
    Claim('the claim that names the person as API keys do; null: issuer and `sub` are the person, who has no API key'),
  ),
  agent_id: orNull({ ...idSchema('agent'), description: 'the agent that tokens of the role `agent` act for' }),
  agent_claim: orNull(Claim('the claim with the id of that agent, where it depends on the token')),
};
export const IssuerProfile = Type.Enum([...PROFILES], {
  description: 'how tokens are verified: `oauth`, access tokens; `kubernetes`, projected tokens of a cluster',
});
export const WorkloadRole = Type.Enum([...WORKLOAD_ROLES]);
/** A service account of a cluster, as a request names it. */
export const WorkloadSettings = Type.Object(
  {
    subject: Type.String({
      minLength: 1,
      maxLength: SUBJECT_CHARS_MAX,
      description: 'the `sub` of its tokens: `system:serviceaccount:NAMESPACE:NAME`',
    }),
    role: WorkloadRole,
    agent_id: Type.Optional(orNull({ ...idSchema('agent'), description: 'of the role `agent`: the agent' })),
    tools: Type.Optional(orNull({ ...WorkerTools, description: 'of the role `worker`: the tools of its calls' })),
    capability_token_id: Type.Optional(
      orNull({ ...idSchema('token'), description: 'the only capability token of which it may exchange parts' }),
    ),
  },
  closed,
);
const workloads = Type.Array(WorkloadSettings, { maxItems: 100, description: 'which service account is what' });
/** RFC 7517. */
export const PinnedKeySet = Type.Object(
  { keys: Type.Array(Type.Record(Type.String({ maxLength: 32 }), Type.Unknown()), { minItems: 1, maxItems: 10 }) },
  { description: 'the only public keys of the cluster (RFC 7517); null: those that it publishes' },
);
const jwks = orNull(PinnedKeySet);
const sign_in = orNull(
  Type.Object(
    {
      client_id: Type.String({
        pattern: '^[\\x21-\\x7e]{1,255}$',
        description:
          'the public client that the issuer knows this deployment by; its redirect URI is the `redirect_uri` of the registration',
      }),
    },
    { ...closed, description: 'how people sign in at the issuer in a browser; null: nobody does' },
  ),
);
const identity = {
  issuer: Type.String({ minLength: 1, maxLength: 512, description: 'the URL of the issuer, exactly as in `iss`' }),
  audience: Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'what `aud` must contain: the public URL of this deployment, or one below it that is not `/mcp`',
  }),
  tenant_claim: orNull(Claim('the claim that tells the tenants of one issuer apart')),
  tenant_value: orNull(Type.String({ minLength: 1, maxLength: 255, description: 'its value for this tenant' })),
};

/** A registration as a request names it. */
export const ProviderSettings = Type.Object(
  {
    name: ProfileName,
    issuer: identity.issuer,
    audience: Type.Optional(identity.audience),
    tenant_claim: Type.Optional(identity.tenant_claim),
    tenant_value: Type.Optional(identity.tenant_value),
    scopes: Type.Optional(mapping.scopes),
    groups_claim: Type.Optional(mapping.groups_claim),
    groups: Type.Optional(mapping.groups),
    person_claim: Type.Optional(mapping.person_claim),
    agent_id: Type.Optional(mapping.agent_id),
    agent_claim: Type.Optional(mapping.agent_claim),
    sign_in: Type.Optional(sign_in),
    profile: Type.Optional(IssuerProfile),
    workloads: Type.Optional(workloads),
    jwks: Type.Optional(jwks),
  },
  closed,
);
export type ProviderSettings = Static<typeof ProviderSettings>;

/** A registration by an administrator of the tenant. */
export const ConfirmedSettings = Type.Object(
  {
    ...ProviderSettings.properties,
    access_token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_192,
        description:
          'an access token of the issuer for the audience, whose scope gives `admin`; needed for a new registration, and for other scopes or groups; never stored',
      }),
    ),
  },
  closed,
);
export type ConfirmedSettings = Static<typeof ConfirmedSettings>;

/** A service account as it is registered. */
export const WorkloadView = Type.Object(
  {
    subject: WorkloadSettings.properties.subject,
    role: WorkloadSettings.properties.role,
    agent_id: orNull(idSchema('agent')),
    tools: orNull(WorkerTools),
    capability_token_id: orNull(idSchema('token')),
    since: { ...Instant, description: 'when it was registered as it is' },
  },
  closed,
);

export const ProviderView = Type.Object(
  {
    provider_id: idSchema('identityProvider'),
    name: Type.String(),
    ...identity,
    ...mapping,
    scopes: Type.Array(ScopeRole, { description: 'which scope gives which role; empty: of a cluster' }),
    sign_in,
    profile: IssuerProfile,
    workloads: Type.Array(WorkloadView),
    pinned_keys: orNull(
      Type.Array(Type.String(), { description: 'the ids (`kid`) of the only keys; null: those that it publishes' }),
    ),
    redirect_uri: orNull(
      Type.String({
        description:
          'of the client by which people sign in to consent: register it at the issuer; null: there is no public URL',
      }),
    ),
    session_redirect_uri: orNull(
      Type.String({
        description:
          'of the same client where people sign in for a session of the API: register it too, or nobody gets one',
      }),
    ),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that registered it; `platform`: the platform key' }),
    updated_at: Instant,
    removed_at: orNull(Instant),
  },
  closed,
);
export type ProviderView = Static<typeof ProviderView>;

export const ProviderList = Type.Object({ items: Type.Array(ProviderView) }, closed);

/** What a removal or a denial ended. */
export const Ended = Type.Object(
  {
    name: Type.String(),
    revoked: Type.Array(idSchema('apiKey'), { description: 'credentials that this request revoked' }),
    more: Type.Boolean({ description: 'whether credentials are left to revoke: send the request again' }),
  },
  closed,
);
export type Ended = Static<typeof Ended>;

/** Exactly one of both. */
export const Denial = Type.Object(
  {
    subject: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'a `sub`, with all its tokens' })),
    jti: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'one token, by its `jti`' })),
  },
  closed,
);
export type Denial = Static<typeof Denial>;

export const PersonView = Type.Object({ person_id: idSchema('person'), created_at: Instant }, closed);
export type PersonView = Static<typeof PersonView>;
export const PersonForgotten = Type.Object(
  {
    person_id: idSchema('person'),
    forgotten: Type.Boolean({ description: 'whether nobody can tell any more whose it was; false while `more`' }),
    revoked: Ended.properties.revoked,
    more: Ended.properties.more,
  },
  closed,
);
export type PersonForgotten = Static<typeof PersonForgotten>;
