// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import { givenValueContext, type HpkeBox } from '@writ/sealing';
import { keptOf, HeldCalls, newVote, type ApprovalClosing, type Right } from '../../execution/held/index.ts';
import { askOf } from '../../judging/judgement/index.ts';
import type { ValueStore } from '../../execution/values/value-store.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operations/operation-views.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { openSealed, type SessionValues } from '../../execution/values/index.ts';
import type { DecisionParts } from './judge-held.ts';
import { satisfiedBy, tallyOf } from './quorum.ts';
import type { HeldReevaluation } from './held-reevaluation.ts';
import { requireApprover } from './require-approver.ts';

/** How often one decision is tried again because its facts changed. */
const DECISIONS_MAX = 5;
const RECEIPT_WAIT_MS = 250;
/** How long a value of a session is kept: a working day. One for a single use as long, if nothing uses it. */
const VALUE_MS = 12 * 3_600_000;

/** What values are kept in. */
export interface GiveParts {
  readonly box: HpkeBox;
  readonly values: SessionValues;
  readonly store: ValueStore;
}

/**
 * Gives a held call the value that it waits for: an approval that brings a value. INVARIANT (a value is sealed): it
 * arrives sealed and is opened here alone. It is sealed again for storage in the transaction that decides the call. No
 * record, message, event or reason holds it.
 */
export class SupplyValue {
  readonly #parts: DecisionParts;
  readonly #held: HeldCalls;
  readonly #readmission: HeldReevaluation;
  readonly #views: OperationViews;
  readonly #give: GiveParts;

  constructor(
    parts: DecisionParts,
    held: HeldCalls,
    readmission: HeldReevaluation,
    views: OperationViews,
    give: GiveParts,
  ) {
    this.#parts = parts;
    this.#held = held;
    this.#readmission = readmission;
    this.#views = views;
    this.#give = give;
  }

  /** The key that values are sealed to. */
  async key(): Promise<{ public_key: string }> {
    return { public_key: (await this.#give.box.publicKey()).toString('base64') };
  }

  /**
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `conflict` for one that waits for no value or was
   * decided, `request.malformed`, `record.backlog`
   */
  async run(request: KernelRequest<'approval.give'>): Promise<OperationView> {
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(request.caller.tenant_id, request.approval_id);
      const right = requireApprover(request.caller, held);
      const row = await this.#decide(held, right, request);
      if (row !== null) return await this.#views.of(row, { waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'others kept changing what the call was decided on');
  }

  /** Null when it must be tried again. */
  async #decide(held: HeldCall, right: Right, request: KernelRequest<'approval.give'>): Promise<OperationRow | null> {
    const { approval, operation } = held;
    const { caller, comment } = request;
    if (approval.of !== 'value') throw new Fault('conflict', 'the call waits for no value');
    if (approval.state === 'approved' && approval.decided_by === caller.api_key_id) return operation;
    if (approval.state !== 'pending') throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    const vote = newVote(held, caller, right, { says: 'approve', comment });
    const { given: yes, needed } = tallyOf(held, vote);
    if (yes < needed)
      throw new Fault(
        'conflict',
        `${String(needed)} persons must agree: the last of them gives the value, the others approve before`,
      );
    const given = await this.#seal(
      held,
      request,
      await openSealed(
        this.#give.box,
        request.value,
        givenValueContext(caller.tenant_id, request.approval_id),
        'approval',
      ),
    );
    return await this.#readmission.run(
      held,
      { state: 'approved', actor: vote.cast_by, comment, vote, given },
      satisfiedBy(held, right),
    );
  }

  async #seal(
    held: HeldCall,
    { caller, approval_id, scope, note }: KernelRequest<'approval.give'>,
    value: Buffer,
  ): Promise<NonNullable<ApprovalClosing['given']>> {
    const { operation } = held;
    const args = await this.#parts.args.kept(held.operation, keptOf(held));
    if ('effect' in args) throw new Fault('conflict', args.message);
    const ask = askOf(operation, args.value);
    if (scope !== 'stored') {
      if (note !== null)
        throw new Fault('request.malformed', 'a note is of a value that is stored', { pointer: '/note' });
      return {
        scope,
        columns: {
          session: await this.#give.values.seal(ask, operation.operation_id, {
            approval_id,
            scope,
            value,
            expires_at: held.now + VALUE_MS,
          }),
        },
      };
    }
    if (!ask.secret) throw new Fault('conflict', 'what is no secret is given once or for the session');
    const suggested = typeof args.value['note'] === 'string' ? args.value['note'] : null;
    return {
      scope,
      columns: {
        secret: await this.#give.store.seal(operation.tenant_id, {
          name: ask.name,
          value,
          note: note ?? suggested,
          created_by: caller.api_key_id,
        }),
      },
    };
  }
}
