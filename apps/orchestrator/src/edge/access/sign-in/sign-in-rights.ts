// SPDX-License-Identifier: Apache-2.0
// What somebody who signs in may do. INVARIANT (as a token would): a session has the scopes and groups of an access
// token that the issuer gave at the sign-in, for this deployment and this client, and that would be accepted by itself.
import { Fault, isId, type AgentId } from '@writ/contract';
import type { Identities, ProviderInForce } from '../../../store/identities/identities.ts';
import type { MemberLinks } from '../identity/member-links.ts';
import { groupsOf, mappedOf } from '../identity/roles.ts';
import { isJwtText, verifyAccessToken, type AccessToken } from '../oauth/access-token.ts';
import type { IssuerKeys } from '../oauth/issuer-keys.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import { isDenied, personNameOf } from '../oauth/token-callers.ts';
import { SignInRefused } from './sign-in-refused.ts';

/** Who may call the API, and as what. */
export interface Rights {
  /** `sub` at the issuer */
  readonly subject: string;
  /** the name by which API keys call the person; null: issuer and subject are the person */
  readonly name: string | null;
  /** the agent that the issuer names for the person; null: it names none */
  readonly agentId: AgentId | null;
  /** scopes and groups that the registration maps to roles; none where the member has a role of its own */
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
}

export interface RightsParts {
  readonly identities: Pick<Identities, 'isDenied'>;
  readonly hashes: IdentityHashes;
  readonly issuerKeys: IssuerKeys;
  readonly members: Pick<MemberLinks, 'activeOf'>;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/** Whom the ID token of the same answer names. */
export interface ExpectedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  /** whether the person brings an invitation, which may give them their only role */
  readonly isInvited: boolean;
}

/**
 * Reads the access token of a sign-in, which is attacker-controlled until it is verified.
 * @throws SignInRefused, Fault `auth.issuer_unavailable`
 */
export async function rightsOf(
  text: string,
  provider: ProviderInForce,
  expected: ExpectedToken,
  parts: RightsParts,
): Promise<Rights> {
  const token = await verifiedToken(text, provider, expected.issuer, parts);
  const { tenant_id, tenant_claim, tenant_value, agent_claim } = provider;
  if (token.subject !== expected.subject || token.clientId !== expected.clientId)
    throw new SignInRefused('The identity provider gave an access token of somebody else.', 'access_token_subject');
  if (tenant_claim !== null && token.claims[tenant_claim] !== tenant_value)
    throw new SignInRefused('You do not belong to the organisation that this page is for.', 'tenant_claim');
  if (await isDenied(parts.identities, parts.hashes, tenant_id, token))
    throw new SignInRefused('Your organisation does not let you in.', 'denied');
  const { scopes, groups } = mappedOf({ scopes: token.scopes, groups: groupsOf(token.claims, provider) }, provider);
  const hasRole = scopes.length + groups.length > 0 || (await hasOwnRole(token, tenant_id, parts));
  if (!hasRole && !expected.isInvited)
    throw new SignInRefused('Your organisation gives you no role here. Ask your administrator.', 'scope');
  const agentId = agent_claim === null ? null : token.claims[agent_claim];
  return {
    subject: token.subject,
    name: nameOf(token, provider),
    agentId: isId('agent', agentId) ? agentId : null,
    scopes,
    groups,
  };
}

/** Whether the person is a member with a role of its own. @throws SignInRefused for a member who isn't active */
async function hasOwnRole(
  { issuer, subject }: AccessToken,
  tenantId: ProviderInForce['tenant_id'],
  { members }: RightsParts,
): Promise<boolean> {
  try {
    return ((await members.activeOf(tenantId, issuer, subject))?.role ?? null) !== null;
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'auth.invalid') throw cause;
    throw new SignInRefused('Your organisation does not let you in.', 'member', { cause });
  }
}

async function verifiedToken(
  text: string,
  { audience }: ProviderInForce,
  issuer: string,
  { issuerKeys, now }: RightsParts,
): Promise<AccessToken> {
  try {
    if (!isJwtText(text)) throw new Fault('auth.invalid', 'the access token is no signed JWT');
    const token = await verifyAccessToken(text, issuer, [audience], issuerKeys, now());
    if (token.expiresAt <= now()) throw new Fault('auth.invalid', 'the access token has expired (`exp`)');
    return token;
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'auth.invalid') throw cause;
    throw new SignInRefused(
      'The identity provider does not say what you may do here: it gave no access token for this deployment.',
      'access_token',
      { cause },
    );
  }
}

function nameOf({ claims }: AccessToken, provider: ProviderInForce): string | null {
  try {
    return personNameOf(claims, provider);
  } catch (cause) {
    throw new SignInRefused('The identity provider does not say who you are.', 'person_claim', { cause });
  }
}
