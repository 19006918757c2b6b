// SPDX-License-Identifier: Apache-2.0
// Makes and changes members. INVARIANT (recorded first): a change is durable in the kernel's outbox before it takes
// effect.
import { Fault, type Caller } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { Authenticator } from '../../edge/access/authenticator.ts';
import type { IdentityHashes } from '../../edge/access/oauth/person-links.ts';
import type { Identities } from '../../store/identities/identities.ts';
import type { MemberRow, Members } from '../../store/members/members.ts';
import type { SettleVotes } from './settle-votes.ts';
import type { MemberPatch, NewIdentity } from './views.ts';

/** Service accounts of one tenant: more than an organisation has programs that call by themselves. */
export const SERVICE_ACCOUNTS_MAX = 1_000;

export interface ChangeMembersParts {
  readonly members: Members;
  readonly identities: Pick<Identities, 'read'>;
  readonly hashes: IdentityHashes;
  readonly authenticator: Pick<Authenticator, 'forgetKeys'>;
  readonly votes: Pick<SettleVotes, 'settle'>;
}

/** Makes and changes members. */
export class ChangeMembers {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #parts: ChangeMembersParts;

  constructor(kernel: Pick<KernelClient, 'ask'>, parts: ChangeMembersParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  /** Faults: `conflict`, `limit.exceeded`. */
  async createService(caller: Caller, name: string): Promise<MemberRow> {
    const member_id = newId('member');
    return await this.#parts.members.create(
      caller.tenant_id,
      {
        ...{ member_id, kind: 'service', person_id: null, name, sealed: null, role: null },
        created_by: caller.api_key_id,
      },
      member_id,
      SERVICE_ACCOUNTS_MAX,
      () => this.#record(caller, 'member_created', member_id, { name }),
    );
  }

  /** Faults: `not_found`, `conflict`, `request.malformed`. */
  async change(caller: Caller, memberId: string, patch: MemberPatch): Promise<MemberRow> {
    const { members, authenticator, votes } = this.#parts;
    const member = await members.read(caller.tenant_id, memberId);
    if (member === null) throw new Fault('not_found');
    if (patch.role !== undefined && member.kind === 'service')
      throw new Fault('request.malformed', 'a service account has the roles of its keys', { pointer: '/role' });
    const changed = await members.change(caller.tenant_id, memberId, { ...patch, by: caller.api_key_id }, () =>
      this.#record(caller, 'member_changed', memberId, patch),
    );
    if (changed === null) throw new Fault('not_found');
    authenticator.forgetKeys();
    if (patch.state !== undefined) await votes.settle(caller.tenant_id, memberId);
    return changed;
  }

  /** Faults: `not_found`, `conflict`, `request.malformed`. */
  async link(caller: Caller, memberId: string, { provider, subject }: NewIdentity): Promise<MemberRow> {
    const { members, identities, hashes, authenticator } = this.#parts;
    const { tenant_id } = caller;
    const member = await members.read(tenant_id, memberId);
    if (member === null) throw new Fault('not_found');
    if (member.kind === 'service')
      throw new Fault('request.malformed', 'a service account does not sign in', { pointer: '/subject' });
    const found = await identities.read(tenant_id, provider);
    if (found === null || found.removed_at !== null)
      throw new Fault('request.malformed', `no identity provider \`${provider}\` is registered`, {
        pointer: '/provider',
      });
    const subject_hash = hashes.of('subject', tenant_id, found.issuer, subject);
    const identity = { subject_hash, provider_id: found.provider_id };
    const linked = await members.link(tenant_id, memberId, identity, () =>
      this.#record(caller, 'member_linked', memberId, { subject_hash: subject_hash.toString('hex') }),
    );
    if (linked === null) throw new Fault('not_found');
    authenticator.forgetKeys();
    return linked;
  }

  async #record(caller: Caller, verb: string, subject: string, said: object): Promise<void> {
    const digest = sha256Hex(canonicalBytes(said as never));
    await this.#kernel.ask('change.record', caller, { verb, subject, digest });
  }
}
