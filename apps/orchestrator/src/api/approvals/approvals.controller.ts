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
  type SessionAsk,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { givenValueContext, sealTo } from '@writ/sealing';
import { Asked } from '../../edge/requests/asked.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { APPROVALS } from './routes.ts';
import { ShowOperation } from '../../calls/show-operation.ts';
import { ShowDiff } from './show-diff.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

type Decision = Omit<KernelRequest<'approval.decide'>, 'v' | 'caller'>;

@Controller()
export class ApprovalsController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly show: ShowOperation,
    private readonly showDiff: ShowDiff,
  ) {}

  @Route(APPROVALS.list)
  list(
    @Asked() { caller, query }: AskedOf<typeof APPROVALS.list>,
  ): Promise<{ items: ApprovalView[]; next_cursor: string | null }> {
    return this.kernel.ask('approval.list', caller, { page: pageOf(query), state: query.state ?? null });
  }

  @Route(APPROVALS.read)
  read(@Asked() { caller, params }: AskedOf<typeof APPROVALS.read>): Promise<ApprovalView> {
    return this.kernel.ask('approval.read', caller, params);
  }

  @Route(APPROVALS.diff)
  diff(@Asked() { caller, params }: AskedOf<typeof APPROVALS.diff>): Promise<ApprovalDiff> {
    return this.showDiff.run(caller, params.approval_id);
  }

  @Route(APPROVALS.approve)
  approve(@Asked() { caller, params, body }: AskedOf<typeof APPROVALS.approve>): Promise<OperationView> {
    return this.#decide(caller, {
      approval_id: params.approval_id,
      decision: 'approve',
      comment: body.comment ?? null,
      effect_digest: body.effect_digest ?? null,
      delegation_id: body.delegation_id ?? null,
      session: sessionOf(body),
    });
  }

  @Route(APPROVALS.deny)
  deny(@Asked() { caller, params, body }: AskedOf<typeof APPROVALS.deny>): Promise<OperationView> {
    return this.#decide(caller, {
      approval_id: params.approval_id,
      decision: 'deny',
      comment: body.comment ?? null,
      delegation_id: body.delegation_id ?? null,
    });
  }

  @Route(APPROVALS.edit)
  async edit(@Asked() { caller, params, body }: AskedOf<typeof APPROVALS.edit>): Promise<OperationView> {
    const edited = {
      approval_id: params.approval_id,
      operation_id: newId('operation'),
      args: body.args,
      comment: body.comment ?? null,
    };
    return await this.show.view(caller, await this.kernel.insist('approval.edit', caller, edited));
  }

  @Route(APPROVALS.give)
  async give(
    @Asked() { caller, params: { approval_id }, body }: AskedOf<typeof APPROVALS.give>,
  ): Promise<OperationView> {
    const { public_key } = await this.kernel.ask('value.key', caller, {});
    // Sealed before it leaves: no message on the bus holds it, and what is sent again is the same bytes.
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
    };
    return await this.show.view(caller, await this.kernel.insist('approval.give', caller, given));
  }

  async #decide(caller: Caller, decision: Decision): Promise<OperationView> {
    return await this.show.view(caller, await this.kernel.ask('approval.decide', caller, decision));
  }
}

/** @throws Fault `request.malformed` for a number of calls, or a time, of a yes that is for one call */
function sessionOf({
  scope,
  uses,
  ttl_ms,
}: {
  readonly scope?: 'once' | 'session';
  readonly uses?: number;
  readonly ttl_ms?: number;
}): SessionAsk | null {
  if (scope === 'session')
    return { uses: uses ?? SESSION_APPROVAL.uses.default, ttl_ms: ttl_ms ?? SESSION_APPROVAL.ttlMs.default };
  if (uses !== undefined || ttl_ms !== undefined)
    throw new Fault('request.malformed', '`uses` and `ttl_ms` are of `"scope": "session"`', { pointer: '/scope' });
  return null;
}
