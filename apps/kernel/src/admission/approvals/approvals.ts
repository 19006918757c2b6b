// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type ApprovalEffect,
  type ApprovalView,
  type Caller,
  type KernelRequest,
  type PastDecisions,
  type VoteView,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { inTenant } from '@writ/database';
import { openStaged, shownDelta } from '../../execution/effects/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { plainRef, type TenantVault } from '../../evidence/payload/index.ts';
import { countVotes } from '../../execution/held/votes-of-call.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { VoteRow, HeldCall } from '../../foundation/rows/held-rows.ts';
import { showArguments, showPreview, type Shown } from './held-content.ts';
import { readPastDecisions } from './past-decisions.ts';
import { readStartedBy } from './started-by.ts';
import { viewPreview } from './view-preview.ts';
import { pagesOf, plainPages } from './queue/order.ts';
import { conditionOf, StatementValues } from './queue/selection.ts';
import { isApprover } from './require-approver.ts';
import { reservedFor } from './reserved-for.ts';

/**
 * Bytes of arguments in one list. A message holds 256 KiB. Longer arguments are shown by reading one approval, or by
 * the blob that stores them.
 */
const LIST_ARGS_BYTES = 128 * 1024;

/** The columns of HeldCall, with the operation, from which a view takes its fields. */
const SELECT = `SELECT kernel.now_ms() AS now, to_jsonb(a) AS approval, to_jsonb(o) AS operation, encode(y.args, 'base64') AS args, y.args_ref,
    encode(y.staged, 'base64') AS staged, (SELECT to_jsonb(v) FROM kernel.preview v WHERE v.operation_id = o.operation_id) AS preview, kernel.votes_of(a) AS votes
  FROM kernel.approval a JOIN kernel.operation o ON o.operation_id = a.operation_id JOIN kernel.payload y ON y.operation_id = a.operation_id`;

/** What is shown to callers who may not see it. */
const NOTHING = { content: null };

/** Shows approvals. Only approvers see the arguments in clear. Others see that there are some. */
export class Approvals {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;
  readonly #blobs: BlobStore;
  readonly #args: ArgumentsReader;

  constructor(tenants: TenantPool, vault: TenantVault, blobs: BlobStore, args: ArgumentsReader) {
    this.#args = args;
    this.#tenants = tenants;
    this.#vault = vault;
    this.#blobs = blobs;
  }

  /** @throws Fault `not_found`, `auth.role` */
  async read({ caller, approval_id }: KernelRequest<'approval.read'>): Promise<ApprovalView> {
    const [held] = await this.#select(caller, 'WHERE a.approval_id = $1', [approval_id]);
    if (held === undefined) throw new Fault('not_found');
    const approval = await this.#viewFor(caller, held, LIST_ARGS_BYTES, true);
    return { ...approval, started_by: await readStartedBy(this.#tenants, held.operation) };
  }

  /**
   * The full staged effect, for approvers.
   * @throws Fault `not_found`, `auth.role`, `conflict` where none is staged
   */
  async effect({ caller, approval_id }: KernelRequest<'approval.effect'>): Promise<ApprovalEffect> {
    const [held] = await this.#select(caller, 'WHERE a.approval_id = $1', [approval_id]);
    if (held === undefined) throw new Fault('not_found');
    if (!isApprover(caller)) throw new Fault('auth.role', 'an effect is shown to the roles `admin` and `operator`');
    if (held.staged === null) throw new Fault('conflict', 'no effect is staged for this approval');
    const staged = await openStaged(this.#vault, held.operation.tenant_id, held.operation.operation_id, held.staged);
    const delta = await shownDelta(this.#blobs, held.operation.tenant_id, staged);
    return { effect_digest: staged.effect_digest, delta, delta_ref: delta === null ? staged.delta_ref : null };
  }

  /**
   * How approvals of alike calls ended, for whoever may read the approval.
   * @throws Fault `not_found`, `auth.role`
   */
  async alike({ caller, approval_id }: KernelRequest<'approval.alike'>): Promise<PastDecisions> {
    requireReader(caller);
    return await readPastDecisions(this.#tenants, caller.tenant_id, approval_id);
  }

  /** Newest first, unless another order is asked for. @throws Fault `auth.role`, `request.malformed` */
  async list({
    page,
    order,
    ...selection
  }: KernelRequest<'approval.list'>): Promise<{ items: ApprovalView[]; next_cursor: string | null }> {
    const { caller } = selection;
    const values = new StatementValues();
    const where = conditionOf(selection, values);
    const pages =
      order === undefined && selection.filter === undefined
        ? plainPages(page.cursor, values)
        : pagesOf(order ?? 'newest', selection, page.cursor, values);
    const found = await this.#select(
      caller,
      `WHERE ${where} AND ${pages.after} ORDER BY ${pages.orderBy} LIMIT ${values.add(page.limit + 1)}`,
      values.all,
    );
    const shown = found.slice(0, page.limit);
    const last = shown.at(-1);
    const share = Math.floor(LIST_ARGS_BYTES / Math.max(1, shown.length));
    return {
      items: await Promise.all(shown.map((held) => this.#viewFor(caller, held, share, false))),
      next_cursor:
        found.length <= page.limit || last === undefined
          ? null
          : pages.cursorAfter({ ...last.approval, risk_score: last.approval.risk_score ?? last.operation.risk_score }),
    };
  }

  async #select(caller: Caller, where: string, values: unknown[]): Promise<HeldCall[]> {
    requireReader(caller);
    return await inTenant(
      this.#tenants.pool,
      caller.tenant_id,
      async (client) => (await client.query<HeldCall>(`${SELECT} ${where}`, values)).rows,
      { readOnly: true },
    );
  }

  /** `whole`: with the result of the preview. A list shows only the state of the preview. */
  async #viewFor(caller: Caller, held: HeldCall, argsBytesMax: number, whole: boolean): Promise<ApprovalView> {
    const { approval, operation } = held;
    const args = isApprover(caller) ? await this.#shownArguments(held, argsBytesMax) : NOTHING;
    const preview =
      whole && isApprover(caller) ? await showPreview(held, { vault: this.#vault, blobs: this.#blobs }) : NOTHING;
    return {
      approval_id: approval.approval_id,
      operation_id: approval.operation_id,
      tool_id: operation.tool_id,
      agent_id: operation.agent_id,
      action_digest: approval.action_digest,
      autonomy_mode: approval.autonomy_mode,
      of: approval.of,
      state: approval.state,
      binding: {
        action_digest: approval.action_digest,
        effect_digest: approval.effect_digest,
        policy_hash: operation.policy_hash,
        expires_at: approval.expires_at,
      },
      preview: preview?.content ?? (await viewPreview(held, null)),
      votes: countVotes({ ...approval, votes: held.votes }),
      ...reservedFor(held),
      voted: held.votes.map(viewVote),
      reasons: approval.reasons,
      args: args?.content ?? null,
      ...(args === null || preview === null ? { unreadable: true as const } : {}),
      created_at: approval.created_at,
      expires_at: approval.expires_at,
      decided_at: approval.decided_at,
      decided_by: approval.decided_by,
      comment: approval.comment,
      session_token_id: approval.session_token_id,
    };
  }

  /** The arguments, or their reference; nothing once erased, and null where they can't be read. */
  async #shownArguments(held: HeldCall, bytesMax: number): Promise<Shown<unknown>> {
    const shown = await showArguments(this.#args, held);
    if (shown === null || shown.content === null) return shown;
    const { canonical, value, ref } = shown.content;
    if (canonical.byteLength <= bytesMax) return { content: value };
    return { content: { args_ref: ref && plainRef(ref), too_long_to_show: canonical.byteLength } };
  }
}

/** @throws Fault `auth.role` */
function requireReader({ role }: Caller): void {
  if (role === 'agent') throw new Fault('auth.role', 'approvals take the role `admin`, `operator` or `auditor`');
}

function viewVote({
  vote_id,
  says,
  principal,
  role,
  cast_by,
  cast_as,
  delegation_id,
  effect_digest,
  stands,
  comment,
  record_id,
  created_at,
}: VoteRow): VoteView {
  return {
    vote_id,
    says,
    principal,
    role,
    cast_by,
    cast_as,
    delegation_id,
    effect_digest,
    stands,
    comment,
    record_id,
    created_at,
  };
}
