// SPDX-License-Identifier: Apache-2.0
// Begins and ends sign-in sessions. INVARIANT (new with each sign-in): a session's id and secret are made here when a
// person has signed in, and never taken from a request, so that nobody can prepare the session of another.
import { Fault, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { DeviceAuthorizations } from '../../../store/sign-ins/device-authorizations.ts';
import type { ListedSignIn, NewSignIn, SignInLifetimes, SignIns, SignInsOf } from '../../../store/sign-ins/sign-ins.ts';
import type { DeviceApproval } from './device-approvals.ts';
import type { SessionCallers } from './session-callers.ts';
import type { SignedIn } from './sign-in.ts';
import { SignInRefused } from './sign-in-refused.ts';
import type { SignInRecords } from './sign-in-records.ts';
import type { SignInSession, SignInSessions } from './sign-in-sessions.ts';
import { sealIdentity, secretHashOf, type Identity, type SessionTexts } from './sign-in-texts.ts';

export interface ChangeSignInsParts {
  readonly rows: SignIns;
  readonly devices: DeviceAuthorizations;
  readonly texts: SessionTexts;
  readonly sessions: SignInSessions;
  readonly callers: SessionCallers;
  readonly records: SignInRecords;
  readonly lifetimes: SignInLifetimes;
}

/** Whose session begins. */
type Whose = Omit<DeviceApproval, 'signed_in_at' | 'expires_at' | 'approved_by'>;
type Kind = Pick<NewSignIn, 'kind' | 'client' | 'approved_by' | 'authenticated_ms'>;

/** Begins and ends sessions. */
export class ChangeSignIns {
  readonly #parts: ChangeSignInsParts;

  constructor(parts: ChangeSignInsParts) {
    this.#parts = parts;
  }

  /** The text of the new session of a browser. @throws SignInRefused, Fault where it can't be recorded */
  async begin(person: SignedIn): Promise<string> {
    const { tenantId, providerId, subjectHash, authenticatedMs, shown, issuer, rights } = person;
    if (rights === null) throw new SignInRefused('The sign-in was for a consent alone.', 'purpose');
    const { subject, name, agentId, scopes, groups } = rights;
    const identity: Identity = { issuer, subject, name, agent_id: agentId, shown };
    const given = { scopes, groups };
    const whose = { tenant_id: tenantId, provider_id: providerId, subject_hash: subjectHash, ...given, identity };
    const kind = { kind: 'browser', client: null, approved_by: null, authenticated_ms: authenticatedMs } as const;
    const { session, text } = await this.#compose(whose, kind);
    await this.#parts.records.began(tenantId, session);
    await this.#parts.rows.create(tenantId, session, this.#parts.lifetimes.maxMs);
    return text;
  }

  /**
   * The text of the session of a device that was approved; null where the approval was used meanwhile, or the session
   * that approved it has ended.
   */
  async redeem(deviceHash: Buffer, client: string, approval: DeviceApproval): Promise<string | null> {
    const { records, devices, rows, lifetimes } = this.#parts;
    const { tenant_id, approved_by, signed_in_at, expires_at } = approval;
    // What has ended is found before anything is recorded. The store decides.
    if ((await rows.find(tenant_id, approved_by, lifetimes.idleMs)) === null)
      throw new SignInRefused('The session in which the program was approved has ended.', 'approver');
    const kind = { kind: 'device', client, approved_by, authenticated_ms: null } as const;
    const { session, text } = await this.#compose(approval, kind);
    await records.began(tenant_id, session);
    const times = { signed_in_at, expires_at, idleMs: lifetimes.idleMs };
    return (await devices.redeem(tenant_id, deviceHash, session, times)) ? text : null;
  }

  /** The person ends the session that the request presents. */
  async signOut({ tenantId, signInId, credentialId }: SignInSession): Promise<void> {
    await this.#parts.records.signedOut(tenantId, { sign_in_id: signInId, credential_id: credentialId });
    await this.#end(tenantId, signInId, credentialId, 'tenant');
  }

  /** Ends a session of the subject, or of the tenant. Null where there is none. */
  async end(caller: Caller, signInId: string, of: SignInsOf): Promise<ListedSignIn | null> {
    const { rows, records } = this.#parts;
    const found = await rows.read(caller.tenant_id, signInId, of);
    if (found === null) return null;
    if (found.ended_at === null) await records.ended(caller, found.sign_in_id);
    return await this.#end(caller.tenant_id, signInId, caller.api_key_id, of);
  }

  async #end(tenantId: SignInSession['tenantId'], signInId: string, by: string, of: SignInsOf) {
    const { rows, sessions } = this.#parts;
    const ended = await rows.end(tenantId, signInId, { by, of });
    sessions.forget();
    return ended;
  }

  /** INVARIANT (somebody known): no session begins without a credential of its person, which acts in its records. */
  async #compose(
    { tenant_id, provider_id, subject_hash, scopes, groups, identity }: Whose,
    of: Kind,
  ): Promise<{ readonly session: NewSignIn; readonly text: string }> {
    const { texts, callers } = this.#parts;
    const person = { tenantId: tenant_id, providerId: provider_id, scopes, groups, identity };
    // A person may be denied after a program was approved.
    if (await callers.isDenied(tenant_id, subject_hash, identity.issuer))
      throw new SignInRefused('Your organisation does not let you in.', 'denied');
    const caller = await callers.of(person, null).catch((cause: unknown) => {
      if (cause instanceof Fault && cause.code === 'auth.invalid')
        throw new SignInRefused('Your organisation does not let you in.', 'member', { cause });
      if (!(cause instanceof Fault) || cause.code !== 'auth.role') throw cause;
      throw new SignInRefused('Your organisation gives you no role here. Ask your administrator.', 'role', { cause });
    });
    const text = texts.newText(tenant_id, newId('signIn'));
    const session = {
      ...of,
      sign_in_id: text.signInId,
      provider_id,
      subject_hash,
      person_id: caller.person,
      credential_id: caller.api_key_id,
      scopes,
      groups,
      sealed: await sealIdentity(text, identity),
      secret_hash: secretHashOf(text),
    };
    return { session, text: texts.format(text) };
  }
}
