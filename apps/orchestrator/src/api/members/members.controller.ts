// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type Caller } from '@writ/contract';
import { MemberSeal } from '../../edge/access/identity/member-seal.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Members, type MemberRow } from '../../store/members/members.ts';
import { ChangeMembers } from './change-members.ts';
import { MEMBERS } from './routes.ts';
import { Offboard } from './offboard.ts';
import type { MemberView, OffboardedMember } from './views.ts';

/** The people and service accounts of a tenant. */
@Controller()
export class MembersController {
  constructor(
    private readonly members: Members,
    private readonly changes: ChangeMembers,
    private readonly seal: MemberSeal,
    private readonly offboarding: Offboard,
  ) {}

  @Route(MEMBERS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof MEMBERS.list>,
  ): Promise<{ items: MemberView[]; next_cursor: string | null }> {
    const filter = { kind: query.kind ?? null, state: query.state ?? null };
    const { items, next_cursor } = await this.members.list(caller.tenant_id, { ...pageOf(query), ...filter });
    return { items: await Promise.all(items.map((row) => this.#viewOf(caller, row))), next_cursor };
  }

  @Route(MEMBERS.create)
  async create(@RequestInput() { caller, body }: RequestInputOf<typeof MEMBERS.create>): Promise<MemberView> {
    return await this.#viewOf(caller, await this.changes.createService(caller, body.name));
  }

  @Route(MEMBERS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof MEMBERS.read>): Promise<MemberView> {
    const row = await this.members.read(caller.tenant_id, params.member_id);
    if (row === null) throw new Fault('not_found');
    return await this.#viewOf(caller, row);
  }

  @Route(MEMBERS.change)
  async change(@RequestInput() { caller, params, body }: RequestInputOf<typeof MEMBERS.change>): Promise<MemberView> {
    return await this.#viewOf(caller, await this.changes.change(caller, params.member_id, body));
  }

  @Route(MEMBERS.offboard)
  async offboard(
    @RequestInput() { caller, params, body }: RequestInputOf<typeof MEMBERS.offboard>,
  ): Promise<OffboardedMember> {
    const { member, pass } = await this.offboarding.run(caller, params.member_id, body.reason);
    const { revoked, paused_jobs, ...more } = pass;
    const ended = { revoked: [...revoked], paused_jobs: [...paused_jobs] };
    return { member: await this.#viewOf(caller, member), ...ended, ...more };
  }

  @Route(MEMBERS.link)
  async link(@RequestInput() { caller, params, body }: RequestInputOf<typeof MEMBERS.link>): Promise<MemberView> {
    return await this.#viewOf(caller, await this.changes.link(caller, params.member_id, body));
  }

  /** INVARIANT (pseudonyms): only administrators read who a person is. */
  async #viewOf({ role, tenant_id }: Caller, { sealed, ...row }: MemberRow): Promise<MemberView> {
    const { principal, issuer, subject } = await this.seal.open(tenant_id, role === 'admin' ? sealed : null);
    return { ...row, name: row.name ?? principal, issuer, subject };
  }
}
