// SPDX-License-Identifier: Apache-2.0
// Who may register an issuer? INVARIANT (control is proved): a registration takes a token of the issuer that would give
// its holder the role of an administrator. Without that, whoever registers an issuer first would get its people.
import { Fault, type TenantId } from '@writ/contract';
import type { ProviderIdentity, ProviderMapping } from '../../../store/identities/identities.ts';
import { claimedIssuerOf, isJwtText, verifyAccessToken, type AccessToken } from './access-token.ts';
import { isDenied, type TokenCallersParts } from './token-callers.ts';

/** A registration that is being made. */
type Registration = ProviderIdentity & Pick<ProviderMapping, 'scopes'>;

export type IssuerConsentParts = Pick<TokenCallersParts, 'identities' | 'issuerKeys' | 'hashes' | 'now' | 'members'>;

/** Verifies that an administrator at the issuer agrees to a registration. Nothing of the token is stored. */
export class IssuerConsent {
  readonly #parts: IssuerConsentParts;

  constructor(parts: IssuerConsentParts) {
    this.#parts = parts;
  }

  /**
   * @param text the access token, which is attacker-controlled; undefined: none was sent
   * @throws Fault `request.malformed` with what is missing and where to get it, `auth.issuer_unavailable`
   */
  async verify(text: string | undefined, tenantId: TenantId, registration: Registration): Promise<void> {
    const why = text === undefined ? 'it is missing' : await this.#refusalOf(text, tenantId, registration);
    if (why !== null) throw refused(why, registration);
  }

  async #refusalOf(text: string, tenantId: TenantId, registration: Registration): Promise<string | null> {
    const { identities, issuerKeys, hashes, now, members } = this.#parts;
    const { issuer, audience } = registration;
    try {
      if (!isJwtText(text)) return 'it is no signed JWT';
      // The issuer of the registration is asked for its keys, and never one that the token alone names.
      if (claimedIssuerOf(text) !== issuer) return 'it is of another issuer (`iss`)';
      const token = await verifyAccessToken(text, issuer, [audience], issuerKeys, now());
      if (token.expiresAt <= now()) return 'it has expired (`exp`)';
      if (await isDenied(identities, hashes, tenantId, token)) return 'the token, or its subject, is denied';
      // Who is suspended gives nobody's consent.
      await members.activeOf(tenantId, issuer, token.subject);
      return mismatchOf(token, registration);
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.invalid') return error.detail ?? 'it is not valid';
      throw error;
    }
  }
}

function mismatchOf({ claims, scopes }: AccessToken, registration: Registration): string | null {
  const { tenant_claim, tenant_value } = registration;
  if (tenant_claim !== null && claims[tenant_claim] !== tenant_value)
    return `its claim \`${tenant_claim}\` has another value than the registration`;
  const isAdmin = registration.scopes.some(({ scope, role }) => role === 'admin' && scopes.includes(scope));
  return isAdmin ? null : 'its scope gives no role `admin` under this registration';
}

function refused(why: string, { issuer, audience, scopes }: Registration): Fault {
  const admin = scopes.filter(({ role }) => role === 'admin').map(({ scope }) => `\`${scope}\``);
  const scope =
    admin.length === 0
      ? 'a scope that `scopes` maps to `admin`, which none does yet'
      : `the scope ${admin.join(' or ')}`;
  return new Fault(
    'request.malformed',
    `the \`access_token\` is refused: ${why}. Sign in at \`${issuer}\` as an administrator, with the resource \`${audience}\` and ${scope}, and send the access token with the registration; or ask the operator, whose platform key registers issuers without one`,
    { pointer: '/access_token' },
  );
}
