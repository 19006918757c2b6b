// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import {
  Fault,
  SESSION_APPROVAL,
  type ApprovalDiff,
  type ApprovalView,
  type Caller,
  type KernelRequest,
  type OperationView,
  type PastDecisions,
  type SessionGrantTerms,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { givenValueContext, sealTo } from '@writ/sealing';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { APPROVALS } from './routes.ts';
import { OtherNames } from '../../calls/other-names.ts';
import { ShowOperation } from '../../calls/show-operation.ts';
import { ReadApproval } from './read-approval.ts';
import { ShowDiff } from './show-diff.ts';
import { orderOf, selectionOf } from './queue-routes.ts';
import { requirePerson } from './require-person.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

type Decision = Omit<KernelRequest<'approval.decide'>, 'v' | 'caller'>;

@Controller()
export class ApprovalsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly show: ShowOperation,
    private readonly showDiff: ShowDiff,
    private readonly names: OtherNames,
    private readonly approvals: ReadApproval,
  ) {}

  @Route(APPROVALS.list)
  async list(
    @RequestInput() { caller, query }: RequestInputOf<typeof APPROVALS.list>,
  ): Promise<{ items: ApprovalView[]; next_cursor: string | null }> {
    return await this.kernel.ask('approval.list', caller, {
      page: pageOf(query),
      state: query.state ?? null,
      ...selectionOf(query),
      ...orderOf(query),
    });
  }

  @Route(APPROVALS.read)
  async read(@RequestInput() { caller, params }: RequestInputOf<typeof APPROVALS.read>): Promise<ApprovalView> {
    return await this.approvals.read(caller, params.approval_id);
  }

  @Route(APPROVALS.diff)
  diff(@RequestInput() { caller, params }: RequestInputOf<typeof APPROVALS.diff>): Promise<ApprovalDiff> {
    return this.showDiff.run(caller, params.approval_id);
  }

  @Route(APPROVALS.alike)
  alike(@RequestInput() { caller, params }: RequestInputOf<typeof APPROVALS.alike>): Promise<PastDecisions> {
    return this.kernel.ask('approval.alike', caller, params);
  }

  @Route(APPROVALS.approve)
  approve(@RequestInput() { caller, params, body }: RequestInputOf<typeof APPROVALS.approve>): Promise<OperationView> {
    return this.#decide(caller, {
      approval_id: params.approval_id,
      decision: 'approve',
      comment: body.comment ?? null,
      effect_digest: body.effect_digest ?? null,
      delegation_id: body.delegation_id ?? null,
      session: sessionGrantOf(body),
    });
  }

  @Route(APPROVALS.deny)
  deny(@RequestInput() { caller, params, body }: RequestInputOf<typeof APPROVALS.deny>): Promise<OperationView> {
    return this.#decide(caller, {
      approval_id: params.approval_id,
      decision: 'deny',
      comment: body.comment ?? null,
      delegation_id: body.delegation_id ?? null,
    });
  }

  @Route(APPROVALS.edit)
  async edit(@RequestInput() { caller, params, body }: RequestInputOf<typeof APPROVALS.edit>): Promise<OperationView> {
    requirePerson(caller);
    const edited = {
      approval_id: params.approval_id,
      operation_id: newId('operation'),
      args: body.args,
      comment: body.comment ?? null,
      ...(await this.names.of(caller)),
    };
    return await this.show.view(caller, await this.kernel.askUntilAnswered('approval.edit', caller, edited));
  }

  @Route(APPROVALS.give)
  async give(
    @RequestInput() { caller, params: { approval_id }, body }: RequestInputOf<typeof APPROVALS.give>,
  ): Promise<OperationView> {
    requirePerson(caller);
    const { public_key } = await this.kernel.ask('value.key', caller, {});
    // Encrypted before it is sent: no message on the bus contains it, and a retry sends the same bytes.
    const value = (
      await sealTo(
        Buffer.from(public_key, 'base64'),
        Buffer.from(body.value, 'utf8'),
        givenValueContext(caller.tenant_id, approval_id),
      )
    ).toString('base64');
    const given = {
      approval_id,
      value,
      scope: body.scope ?? 'once',
      note: body.note ?? null,
      comment: body.comment ?? null,
      ...(await this.names.of(caller)),
    };
    return await this.show.view(caller, await this.kernel.askUntilAnswered('approval.give', caller, given));
  }

  async #decide(caller: Caller, decision: Decision): Promise<OperationView> {
    requirePerson(caller);
    const asked = { ...decision, ...(await this.names.of(caller)) };
    return await this.show.view(caller, await this.kernel.ask('approval.decide', caller, asked));
  }
}

/** @throws Fault `request.malformed` where an approval of one call has `uses` or `ttl_ms` */
function sessionGrantOf({
  scope,
  uses,
  ttl_ms,
}: {
  readonly scope?: 'once' | 'session';
  readonly uses?: number;
  readonly ttl_ms?: number;
}): SessionGrantTerms | null {
  if (scope === 'session')
    return { uses: uses ?? SESSION_APPROVAL.uses.default, ...(ttl_ms === undefined ? {} : { ttl_ms }) };
  if (uses !== undefined || ttl_ms !== undefined)
    throw new Fault('request.malformed', '`uses` and `ttl_ms` are of `"scope": "session"`', { pointer: '/scope' });
  return null;
}
