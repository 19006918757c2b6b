// SPDX-License-Identifier: Apache-2.0
// Accepts an invitation by a sign-in.
//
// INVARIANT (the one who is invited): the code alone gives nothing. The provider of this sign-in must vouch for the
// address, which it has verified, or for the subject.
// INVARIANT (one answer): a code that is unknown, over, or for somebody else is refused alike.
import { Fault, type TenantId } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { Authenticator } from '../authenticator.ts';
import type { MemberLinks } from '../identity/member-links.ts';
import type { IdentityHashes, PersonLinks } from '../oauth/person-links.ts';
import type { CredentialRecords } from '../oauth/credentials.ts';
import { readInvitationCode } from './invitation-code.ts';
import { SignInRefused, type SignedIn } from './sign-in.ts';
import type { Acceptance, Invitations } from '../../../store/members/invitations.ts';

export interface AcceptInvitationParts {
  readonly invitations: Pick<Invitations, 'isGood' | 'accept'>;
  readonly persons: Pick<PersonLinks, 'idOf'>;
  readonly members: Pick<MemberLinks, 'vouchedOf'>;
  readonly hashes: IdentityHashes;
  readonly authenticator: Pick<Authenticator, 'forgetKeys'>;
  readonly records: Pick<CredentialRecords, 'changed'>;
}

/** Accepts invitations. */
export class AcceptInvitation {
  readonly #parts: AcceptInvitationParts;

  constructor(parts: AcceptInvitationParts) {
    this.#parts = parts;
  }

  /**
   * Makes the person a member with the role, where they bring a code. Callers MUST begin a session only afterwards.
   * @throws SignInRefused
   */
  async by({ tenantId, providerId, issuer, subjectHash, rights, invited }: SignedIn): Promise<void> {
    if (invited === undefined || rights === null) return;
    const { invitations, persons, members, hashes, authenticator } = this.#parts;
    const code = readInvitationCode(invited.code);
    if (code?.tenantId !== tenantId) throw notGood();
    const address_hash = invited.address === null ? null : hashes.of('address', tenantId, invited.address);
    const holder = { code_hash: code.hash, address_hash, subject_hash: subjectHash, provider_id: providerId };
    // INVARIANT (nobody is noted): whoever brings a code that isn't theirs leaves no pseudonym behind.
    if (!(await invitations.isGood(tenantId, holder))) throw notGood();
    const { name, subject } = rights;
    const person = await persons.idOf(tenantId, name === null ? { issuer, subject } : { principal: name });
    const vouched = await members.vouchedOf({ tenantId, providerId, issuer, subject, name, person });
    const accepted = await invitations
      .accept(tenantId, { code_hash: code.hash, address_hash, vouched }, (acceptance) =>
        this.#record(tenantId, acceptance),
      )
      .catch((cause: unknown) => {
        if (!(cause instanceof Fault) || (cause.code !== 'conflict' && cause.code !== 'tenant.closed')) throw cause;
        throw new SignInRefused(
          'Your organisation can not make you a member by it. Ask your administrator.',
          'member',
          { cause },
        );
      });
    if (!accepted) throw notGood();
    authenticator.forgetKeys();
  }

  /** The inviter's key is the actor: its right gives the role. */
  async #record(tenant_id: TenantId, { invitation_id, created_by, member_id, role }: Acceptance): Promise<void> {
    const digest = sha256Hex(canonicalBytes({ member_id, role }));
    const change = { verb: 'invitation_accepted', subject: invitation_id, digest };
    await this.#parts.records.changed({ tenant_id, api_key_id: created_by }, change);
  }
}

const notGood = (): SignInRefused =>
  new SignInRefused(
    'The invitation is not good: it was used, revoked, is too old, or it is not for the person who signed in.',
    'invitation',
  );
