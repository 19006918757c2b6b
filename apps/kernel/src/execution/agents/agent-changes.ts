// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_MANAGE,
  isFinal,
  LANES,
  madeFreezeId,
  MANAGED_CALLS_MAX,
  targetsOf,
  type AgentChange,
} from '@writ/contract';
import type { Announcer } from '../announcements/index.ts';
import type { Events } from '../announcements/events.ts';
import type { WakeUp } from '../announcements/wake-up.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import { composeRecord, traceIdsOf, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { resourcesFor } from '../../judging/definitions/registered-resources.ts';
import { boundTo, postable } from '../../judging/judgement/index.ts';
import { freezeRecord, ownerByCall, stopFrozen, type Frozen } from '../freezes/index.ts';
import {
  outcomeFault,
  unreportedOutcome,
  type AgentChangeOrder,
  type OutcomeFault,
  type OutcomeWriter,
} from '../outcomes/index.ts';

/** Maximum number of tries to end one call, each because its state has changed meanwhile. */
const TRIES_MAX = 8;
/** Calls that are ended in parallel: half of the connections that a tenant's transactions share. */
const PARALLEL_CALLS = 8;

/** Collaborators of changes of agents. */
export interface AgentChangesParts {
  readonly tenants: TenantPool;
  readonly workers: CrossTenantPool;
  readonly sealer: RecordSealer;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly events: Pick<Events, 'stop'>;
  readonly wakeUp: Pick<WakeUp, 'wake'>;
  readonly announcer: Pick<Announcer, 'stop'>;
  readonly outcomeWriter: Pick<OutcomeWriter, 'end'>;
  /** receives the error of what follows a commit: the change stands, and sweeps do the rest */
  readonly failed: (error: unknown) => void;
}

/** A change of an agent, to be written with the commit of the call that makes it. */
export interface DraftedChange {
  readonly change: AgentChangeOrder;
  /** notifies executors, dispatchers and the ledger; run it once the change is durable. Never rejects */
  readonly announce: () => Promise<void>;
}

/**
 * What calls of `agent.manage` do to other agents. INVARIANT (one transaction): the change, its record, the call's end
 * and its record are written together, under the exclusive lock on the tenant's rules. INVARIANT (granted to the end):
 * the grant of the agent is read again here, so a call whose grant was taken back doesn't change anything.
 */
export class AgentChanges {
  readonly #parts: AgentChangesParts;

  constructor(parts: AgentChangesParts) {
    this.#parts = parts;
  }

  /** The change that the call makes, with its records sealed; or why it makes none. */
  async draft(
    { operation, now }: Pick<AttemptFacts, 'operation' | 'now'>,
    args: Readonly<Record<string, unknown>>,
  ): Promise<DraftedChange | OutcomeFault> {
    const { tenants } = this.#parts;
    const [bound] = boundTo(await resourcesFor(tenants, operation, targetsOf(AGENT_MANAGE, args))) ?? [];
    if (bound === undefined)
      return outcomeFault('resource.unknown', 'the agent is no longer granted to the agent of the call');
    const facts = await kernelSql.agentChangeFacts(tenants.pool, {
      tenant: operation.tenant_id,
      agent: bound.name,
      by: operation.agent_id,
      rows: MANAGED_CALLS_MAX,
    });
    const agent_id = bound.name;
    switch (args['change'] as AgentChange) {
      case 'freeze':
        return this.#freeze(operation, agent_id, args, now);
      case 'lift':
        return facts.freeze === null ? outcomeFault('agent.conflict') : this.#lift(operation, facts.freeze, now);
      case 'cancel':
        return this.#cancel(operation, agent_id, facts.calls, now);
    }
  }

  #freeze(
    operation: OperationRow,
    agent_id: string,
    { reason, seconds }: Readonly<Record<string, unknown>>,
    now: number,
  ): DraftedChange {
    const freeze: Frozen = {
      freeze_id: madeFreezeId(operation.operation_id),
      scope: 'agent',
      subject: agent_id,
      reason: String(reason),
      expires_at: typeof seconds === 'number' ? now + seconds * 1_000 : null,
    };
    const record = this.#freezeRecord(operation, 'freeze_placed', freeze, now);
    const { freeze_id, expires_at } = freeze;
    return {
      change: {
        change: 'freeze',
        agent_id,
        freeze: { freeze_id, reason: freeze.reason, expires_at },
        record: postable(record),
      },
      announce: this.#following([record], () => stopFrozen(this.#parts, operation.tenant_id)),
    };
  }

  #lift(operation: OperationRow, freeze: Frozen, now: number): DraftedChange {
    const record = this.#freezeRecord(operation, 'freeze_lifted', freeze, now);
    const { freeze_id, subject } = freeze;
    return {
      change: { change: 'lift', agent_id: subject, freeze_id, record: postable(record) },
      announce: this.#following([record], () => {
        for (const lane of LANES) this.#parts.wakeUp.wake(lane);
        return Promise.resolve();
      }),
    };
  }

  #cancel(operation: OperationRow, agent_id: string, calls: readonly OperationRow[], now: number): DraftedChange {
    const requested = calls.map((call) => ({ call, record: this.#cancelRecord(operation, call, now) }));
    return {
      change: {
        change: 'cancel',
        agent_id,
        calls: requested.map(({ call, record }) => ({ operation_id: call.operation_id, record: postable(record) })),
      },
      // A record whose call ended by itself was not written, so none is sent from here: the outbox sends the others.
      announce: this.#following([], () => this.#endAll(calls, actorOf(operation))),
    };
  }

  #freezeRecord(operation: OperationRow, verb: string, freeze: Frozen, now: number): SealedRecord {
    return freezeRecord(this.#parts.sealer, ownerByCall(operation), verb, freeze, now, operation.operation_id);
  }

  #cancelRecord(by: OperationRow, call: OperationRow, now: number): SealedRecord {
    const { tenant_id, operation_id, agent_id, workspace_id, provenance, traceparent, action_digest } = call;
    const change = { verb: 'cancel_requested', subject: operation_id, digest: null };
    return this.#parts.sealer.seal(
      composeRecord({
        kind: 'change',
        tenant_id,
        recorded_at: now,
        operation_id,
        agent_id,
        workspace_id,
        provenance,
        actor: actorOf(by),
        change,
        ...traceIdsOf(traceparent),
      }),
      { actionDigest: action_digest, newRoot: null },
    );
  }

  #following(records: readonly SealedRecord[], run: () => Promise<void>): () => Promise<void> {
    return async () => {
      try {
        if (records.length > 0) this.#parts.outbox.enqueue([...records]);
        await run();
      } catch (error) {
        this.#parts.failed(error);
      }
    };
  }

  async #endAll(calls: readonly OperationRow[], actor: string): Promise<void> {
    for (let at = 0; at < calls.length; at += PARALLEL_CALLS)
      await Promise.all(calls.slice(at, at + PARALLEL_CALLS).map((call) => this.#end(call, actor)));
  }

  /** Ends a call that waits, and asks the executor of one that runs to stop. Each is marked, so none commits. */
  async #end({ tenant_id, operation_id }: OperationRow, actor: string): Promise<void> {
    for (let times = 0; times < TRIES_MAX; times++) {
      const seen = await kernelSql.attemptFacts(this.#parts.tenants.pool, {
        tenant: tenant_id,
        operation: operation_id,
      });
      if (seen === null || isFinal(seen.operation.state) || !seen.operation.cancel_requested) return;
      const { operation } = seen;
      if (operation.state !== 'admitted' && operation.state !== 'dispatched') {
        this.#parts.announcer.stop(operation);
        return;
      }
      const draft = { ...unreportedOutcome(operation, outcomeFault('cancelled')), actor };
      if ((await this.#parts.outcomeWriter.end(seen, draft)).verdict === 'done') return;
    }
  }
}

const actorOf = ({ proposed_by }: OperationRow): string => proposed_by ?? 'kernel';
