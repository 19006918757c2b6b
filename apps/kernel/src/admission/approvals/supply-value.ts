// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import { givenValueContext, type HpkeBox } from '@writ/sealing';
import { storedArgumentsOf, HeldCalls, newVote, type ApprovalClosing, type Right } from '../../execution/held/index.ts';
import { valueRequestOf } from '../../judging/judgement/index.ts';
import type { ValueStore } from '../../execution/values/value-store.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { openSealed, type SessionValues } from '../../execution/values/index.ts';
import type { DecisionDependencies } from './judge-held.ts';
import { requireOneVote } from './cast-vote.ts';
import { requireReadable } from './held-content.ts';
import { satisfiedBy, tallyOf } from './quorum.ts';
import type { HeldReevaluation } from './held-reevaluation.ts';
import { requireRight } from './require-approver.ts';

/** How often one decision is tried again because its facts changed. */
const DECISIONS_MAX = 5;
const RECEIPT_WAIT_MS = 250;
/** How long a session's value is stored: a working day. An unused value for a single use is stored as long. */
const VALUE_TTL_MS = 12 * 3_600_000;

/** The stores and the key pair for values. */
export interface ValueStores {
  readonly cipher: HpkeBox;
  readonly values: SessionValues;
  readonly store: ValueStore;
}

/**
 * Supplies the value that a held call waits for: an approval with a value. INVARIANT (a value is sealed): it arrives
 * sealed and is opened only here. It is sealed again for storage in the transaction that decides the call. No record,
 * message, event or reason contains it.
 */
export class SupplyValue {
  readonly #dependencies: DecisionDependencies;
  readonly #held: HeldCalls;
  readonly #reevaluation: HeldReevaluation;
  readonly #views: OperationViews;
  readonly #stores: ValueStores;

  constructor(
    dependencies: DecisionDependencies,
    held: HeldCalls,
    reevaluation: HeldReevaluation,
    views: OperationViews,
    stores: ValueStores,
  ) {
    this.#dependencies = dependencies;
    this.#held = held;
    this.#reevaluation = reevaluation;
    this.#views = views;
    this.#stores = stores;
  }

  /** The public key to which callers seal values. */
  async publicKey(): Promise<{ public_key: string }> {
    return { public_key: (await this.#stores.cipher.publicKey()).toString('base64') };
  }

  /**
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `approval.not_in_group`, `conflict` for a call that
   * waits for no value, was decided or can't be read, `request.malformed`, `record.backlog`
   */
  async run(request: KernelRequest<'approval.give'>): Promise<OperationView> {
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(request.caller.tenant_id, request.approval_id);
      const right = await requireRight(this.#dependencies.tenants, request, held);
      const row = await this.#decide(held, right, request);
      if (row !== null) return await this.#views.of(row, { waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'the facts of the decision kept changing');
  }

  /** Null when the decision must be tried again. */
  async #decide(held: HeldCall, right: Right, request: KernelRequest<'approval.give'>): Promise<OperationRow | null> {
    const { approval, operation } = held;
    const { caller, comment } = request;
    if (approval.of !== 'value') throw new Fault('conflict', 'the call waits for no value');
    if (approval.state === 'approved' && approval.decided_by === caller.api_key_id) return operation;
    if (approval.state !== 'pending') throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    const vote = newVote(held, caller, right, { says: 'approve', comment });
    requireOneVote(held, vote, request.other_names);
    await requireReadable(this.#dependencies, held);
    const tally = tallyOf(held, vote);
    const { given: approvals, needed } = tally;
    if (approvals < needed)
      throw new Fault(
        'conflict',
        `${String(needed)} persons must agree: the others approve first, and the last one supplies the value`,
      );
    const given = await this.#seal(
      held,
      request,
      await openSealed(
        this.#stores.cipher,
        request.value,
        givenValueContext(caller.tenant_id, request.approval_id),
        'approval',
      ),
    );
    return await this.#reevaluation.run(
      held,
      { state: 'approved', actor: vote.cast_by, comment, vote: tally.vote, given },
      satisfiedBy(held, right),
    );
  }

  async #seal(
    held: HeldCall,
    { caller, approval_id, scope, note }: KernelRequest<'approval.give'>,
    value: Buffer,
  ): Promise<NonNullable<ApprovalClosing['given']>> {
    const { operation } = held;
    const args = await this.#dependencies.args.readStored(held.operation, storedArgumentsOf(held));
    if ('effect' in args) throw new Fault('conflict', args.message);
    const ask = valueRequestOf(operation, args.value);
    if (scope !== 'stored') {
      if (note !== null) throw new Fault('request.malformed', 'only a stored value has a note', { pointer: '/note' });
      return {
        name: ask.name,
        scope,
        columns: {
          session: await this.#stores.values.seal(ask, operation.operation_id, {
            approval_id,
            scope,
            value,
            expires_at: held.now + VALUE_TTL_MS,
          }),
        },
      };
    }
    if (!ask.secret) throw new Fault('conflict', 'only a secret is stored: supply this value once or for the session');
    const suggested = typeof args.value['note'] === 'string' ? args.value['note'] : null;
    return {
      name: ask.name,
      scope,
      columns: {
        secret: await this.#stores.store.seal(operation.tenant_id, {
          name: ask.name,
          value,
          note: note ?? suggested,
          created_by: caller.api_key_id,
        }),
      },
    };
  }
}
