// SPDX-License-Identifier: Apache-2.0
// Makes and revokes invitations. INVARIANT (recorded first): a change is durable in the kernel's outbox before it takes
// effect. Records name nobody who is invited.
import { Fault, type Caller } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { MemberSeal } from '../../edge/access/identity/member-seal.ts';
import type { IdentityHashes } from '../../edge/access/oauth/person-links.ts';
import { invitationPath, newInvitationCode } from '../../edge/access/sign-in/invitation-code.ts';
import { lowerAddress } from '../../edge/access/sign-in/verified-address.ts';
import type { Identities, ProviderRow } from '../../store/identities/identities.ts';
import type { InvitationRow, Invitations, NewInvitation } from '../../store/members/invitations.ts';
import { LIFE_MS_MAX, type InvitationBody } from './views.ts';

/** Open invitations of one tenant: more than an organisation invites within a week. */
export const OPEN_MAX = 1_000;

export interface ChangeInvitationsParts {
  readonly invitations: Invitations;
  readonly identities: Pick<Identities, 'list'>;
  readonly hashes: IdentityHashes;
  readonly seal: MemberSeal;
  /** the public URL, without a slash at its end; null: nobody signs in here */
  readonly url: string | null;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

type Whom = Pick<NewInvitation, 'address_hash' | 'subject_hash' | 'provider_id' | 'sealed'>;

/** Makes and revokes invitations. */
export class ChangeInvitations {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #parts: ChangeInvitationsParts;

  constructor(kernel: Pick<KernelClient, 'ask'>, parts: ChangeInvitationsParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  /** The invitation, and the link for the person. Faults: `conflict`, `limit.exceeded`, `request.malformed`. */
  async create(caller: Caller, body: InvitationBody): Promise<{ readonly row: InvitationRow; readonly link: string }> {
    const { invitations, url } = this.#parts;
    const expires_at = this.#endOf(body);
    const providers = await this.#providersFor(caller, body);
    const code = newInvitationCode(caller.tenant_id);
    const invitation_id = newId('invitation');
    const invitation: NewInvitation = {
      ...{ invitation_id, code_hash: code.hash, role: body.role, created_by: caller.api_key_id, expires_at },
      ...(await this.#whom(caller, body, providers)),
    };
    const { role, provider_id } = invitation;
    const row = await invitations.create(caller.tenant_id, invitation, OPEN_MAX, () =>
      this.#record(caller, 'invitation_created', invitation_id, { role, provider_id, expires_at }),
    );
    return { row, link: `${url}${invitationPath(code)}` };
  }

  /** Fault `not_found`. */
  async revoke(caller: Caller, invitationId: string): Promise<InvitationRow> {
    const row = await this.#parts.invitations.revoke(caller.tenant_id, invitationId, caller.api_key_id, () =>
      this.#record(caller, 'invitation_revoked', invitationId, { invitation_id: invitationId }),
    );
    if (row === null) throw new Fault('not_found');
    return row;
  }

  #endOf({ expires_at }: InvitationBody): number {
    const now = this.#parts.now();
    const end = expires_at ?? now + LIFE_MS_MAX;
    if (end > now && end <= now + LIFE_MS_MAX) return end;
    throw new Fault('request.malformed', '`expires_at` must be in the future, and a week from now at most', {
      pointer: '/expires_at',
    });
  }

  /** Where the person can sign in. An invitation that nobody could accept is refused. */
  async #providersFor(caller: Caller, { provider, role }: InvitationBody): Promise<readonly ProviderRow[]> {
    const all = (await this.#parts.identities.list(caller.tenant_id)).filter(({ sign_in }) => sign_in !== null);
    const found = all.filter(({ name }) => provider === undefined || name === provider);
    if (found.length === 0 && provider !== undefined && all.length > 0)
      throw new Fault('request.malformed', `people sign in at no identity provider \`${provider}\``, {
        pointer: '/provider',
      });
    if (this.#parts.url === null || found.length === 0)
      throw new Fault('conflict', 'nobody can sign in here in a browser: register an identity provider with `sign_in`');
    const isAgents = ({ agent_id, agent_claim }: ProviderRow): boolean => agent_id !== null || agent_claim !== null;
    if (role === 'agent' && !found.some(isAgents))
      throw new Fault('request.malformed', 'the identity provider names no agent that the person would act for', {
        pointer: '/role',
      });
    return found;
  }

  async #whom(
    { tenant_id }: Caller,
    { email, subject, provider }: InvitationBody,
    [only]: readonly ProviderRow[],
  ): Promise<Whom> {
    const { hashes, seal } = this.#parts;
    if ((email === undefined) === (subject === undefined))
      throw new Fault('request.malformed', 'name either `email` or `subject`', { pointer: '/email' });
    if (subject !== undefined && provider === undefined)
      throw new Fault('request.malformed', '`subject` needs the `provider` whose it is', { pointer: '/provider' });
    const address = email === undefined ? null : lowerAddress(email);
    const issuer = only?.issuer ?? '';
    return {
      address_hash: address === null ? null : hashes.of('address', tenant_id, address),
      subject_hash: subject === undefined ? null : hashes.of('subject', tenant_id, issuer, subject),
      provider_id: provider === undefined ? null : (only?.provider_id ?? null),
      sealed: await seal.seal(tenant_id, { principal: address, issuer: null, subject: subject ?? null }),
    };
  }

  async #record(caller: Caller, verb: string, subject: string, said: object): Promise<void> {
    const digest = sha256Hex(canonicalBytes(said as never));
    await this.#kernel.ask('change.record', caller, { verb, subject, digest });
  }
}
