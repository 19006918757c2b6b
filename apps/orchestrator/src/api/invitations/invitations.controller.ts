// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type Caller } from '@writ/contract';
import { MemberSeal } from '../../edge/access/identity/member-seal.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Invitations, type InvitationRow } from '../../store/members/invitations.ts';
import { ChangeInvitations } from './change-invitations.ts';
import { INVITATIONS } from './routes.ts';
import type { InvitationView, NewInvitationView } from './views.ts';

/** People who are asked to become members. */
@Controller()
export class InvitationsController {
  constructor(
    private readonly invitations: Invitations,
    private readonly changes: ChangeInvitations,
    private readonly seal: MemberSeal,
  ) {}

  @Route(INVITATIONS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof INVITATIONS.list>,
  ): Promise<{ items: InvitationView[]; next_cursor: string | null }> {
    const { items, next_cursor } = await this.invitations.list(caller.tenant_id, pageOf(query));
    return { items: await Promise.all(items.map((row) => this.#viewOf(caller, row))), next_cursor };
  }

  @Route(INVITATIONS.create)
  async create(
    @RequestInput() { caller, body }: RequestInputOf<typeof INVITATIONS.create>,
  ): Promise<NewInvitationView> {
    const { row, link } = await this.changes.create(caller, body);
    return { ...(await this.#viewOf(caller, row)), link };
  }

  @Route(INVITATIONS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof INVITATIONS.read>): Promise<InvitationView> {
    const row = await this.invitations.read(caller.tenant_id, params.invitation_id);
    if (row === null) throw new Fault('not_found');
    return await this.#viewOf(caller, row);
  }

  @Route(INVITATIONS.revoke)
  async revoke(@RequestInput() { caller, params }: RequestInputOf<typeof INVITATIONS.revoke>): Promise<InvitationView> {
    return await this.#viewOf(caller, await this.changes.revoke(caller, params.invitation_id));
  }

  /** INVARIANT (pseudonyms): only administrators read who is invited. */
  async #viewOf({ role, tenant_id }: Caller, { sealed, ...row }: InvitationRow): Promise<InvitationView> {
    const { principal, subject } = await this.seal.open(tenant_id, role === 'admin' ? sealed : null);
    return { ...row, email: principal, subject };
  }
}
