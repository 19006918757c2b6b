// SPDX-License-Identifier: Apache-2.0
// Records of sign-in sessions. INVARIANT (recorded first): a session begins or ends after the log says so. The actor
// is whoever signs in, by a credential of the person with the fewest rights.
import type { Caller, Id, TenantId } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { NewSignIn } from '../../../store/sign-ins/sign-ins.ts';
import type { CredentialRecords } from '../oauth/credentials.ts';

/** The session that a record is about. */
type Recorded = Pick<NewSignIn, 'sign_in_id' | 'credential_id'>;

/** Records what happens to sessions. All methods reject where it can't be recorded. */
export class SignInRecords {
  readonly #records: Pick<CredentialRecords, 'changed'>;

  constructor(records: Pick<CredentialRecords, 'changed'>) {
    this.#records = records;
  }

  async began(tenantId: TenantId, session: NewSignIn): Promise<void> {
    await this.#record(tenantId, session.credential_id, 'signed_in', session.sign_in_id, signInDigest(session));
  }

  /** The person ends a session. */
  async signedOut(tenantId: TenantId, session: Recorded): Promise<void> {
    await this.#record(tenantId, session.credential_id, 'signed_out', session.sign_in_id);
  }

  /** Another session or key ends a session. */
  async ended(by: Pick<Caller, 'tenant_id' | 'api_key_id'>, signInId: Id<'signIn'>): Promise<void> {
    await this.#record(by.tenant_id, by.api_key_id, 'sign_in_ended', signInId);
  }

  /** A secret that was replaced came again. */
  async reused(tenantId: TenantId, session: Recorded): Promise<void> {
    await this.#record(tenantId, session.credential_id, 'session_reused', session.sign_in_id);
  }

  /** @param approved the session of the browser in which the person decided */
  async deviceDecided(tenantId: TenantId, session: Recorded, isApproved: boolean): Promise<void> {
    const verb = isApproved ? 'device_approved' : 'device_denied';
    await this.#record(tenantId, session.credential_id, verb, session.sign_in_id);
  }

  async #record(
    tenant_id: TenantId,
    api_key_id: Id<'apiKey'>,
    verb: string,
    subject: string,
    digest?: string,
  ): Promise<void> {
    await this.#records.changed(
      { tenant_id, api_key_id },
      { verb, subject, ...(digest === undefined ? {} : { digest }) },
    );
  }
}

/** Anyone who knows what the session is for can check it. */
export const signInDigest = ({ kind, client, approved_by, provider_id, scopes, groups }: NewSignIn): string =>
  sha256Hex(
    canonicalBytes({
      ...{ kind, client, approved_by, provider_id, scopes: [...scopes] },
      ...(groups.length === 0 ? {} : { groups: [...groups] }),
    }),
  );
