// SPDX-License-Identifier: Apache-2.0
import type { ProposedCall } from '@writ/contract';
import { Admit, FactMemory, ROOM_CALLS, type QueueHeadroom } from '../admission/admit/index.ts';
import { Announcer } from '../execution/announcements/index.ts';
import { Judge } from '../judging/judgement/index.ts';
import { StoredPolicySets } from '../judging/policies/index.ts';
import { Trees } from '../foundation/workspace/trees.ts';
import type { OperationRow } from '../foundation/rows/operation-row.ts';
import type { PolicyKernel } from './test-policies.ts';

/** Reads the facts of every call. */
class Forgetful extends FactMemory {
  override take(): null {
    return null;
  }
}

/** When a replica looks at the tenant's queue. */
export type Looks = Pick<QueueHeadroom, 'take' | 'found'>;
/** At every call, so that what is remembered makes no difference at all. */
export const EVERY_CALL: Looks = { take: () => ROOM_CALLS, found: () => undefined };
/** As if it had looked a moment ago: what is remembered makes no difference but to how many calls wait. */
export const NO_CALL: Looks = { take: () => null, found: () => undefined };

/** What an admission came to, without what differs between two that were decided alike. */
export type Answer =
  | Pick<
      OperationRow,
      | 'state'
      | 'fault_code'
      | 'policy_hash'
      | 'autonomy_mode'
      | 'risk_score'
      | 'risk_basis'
      | 'limits'
      | 'reserved'
      | 'state_snapshot_id'
    >
  | { readonly fault: string };

/**
 * Another replica of the kernel, that counts how often it reads the facts of a call. It shares nothing with others but
 * the database.
 */
export class TestReplica {
  readonly memory: FactMemory;
  readonly #admit: Admit;
  #reads = 0;

  constructor(
    kernel: PolicyKernel,
    remembers: boolean,
    monotonic: () => number = () => performance.now(),
    rooms: Looks = EVERY_CALL,
  ) {
    this.memory = remembers ? new FactMemory(monotonic, rooms) : new Forgetful(monotonic);
    const policies = new StoredPolicySets(kernel.engine, kernel.tenants);
    const connect = async (): Promise<unknown> => {
      const client = await kernel.tenants.pool.connect();
      return Object.assign(Object.create(client) as typeof client, {
        query: (statement: { readonly name: string }): unknown => {
          if (statement.name === 'kernel.facts') this.#reads += 1;
          return client.query(statement as never);
        },
        on: client.on.bind(client),
        off: client.off.bind(client),
      });
    };
    const tenants = {
      pool: Object.assign(Object.create(kernel.tenants.pool) as typeof kernel.tenants.pool, { connect }),
    };
    this.#admit = new Admit(
      { ...kernel.sources, tenants, policies, memory: this.memory },
      new Judge(policies, new Trees(kernel.blobs)),
      kernel.decisions,
      { ...kernel, announcer: new Announcer(kernel.outbox, kernel.bell, kernel.events, this.memory) },
    );
  }

  /** How often facts were read since this was asked last. */
  takeReads(): number {
    const reads = this.#reads;
    this.#reads = 0;
    return reads;
  }

  async run(call: ProposedCall): Promise<OperationRow> {
    return (await this.#admit.decide(call, null, 0)).row;
  }

  async answer(call: ProposedCall): Promise<Answer> {
    try {
      const {
        state,
        fault_code,
        policy_hash,
        autonomy_mode,
        risk_score,
        risk_basis,
        limits,
        reserved,
        state_snapshot_id,
      } = await this.run(call);
      return {
        state,
        fault_code,
        policy_hash,
        autonomy_mode,
        risk_score,
        risk_basis,
        limits,
        reserved,
        state_snapshot_id,
      };
    } catch (error) {
      return { fault: (error as { code: string }).code };
    }
  }
}
