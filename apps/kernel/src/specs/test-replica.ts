// SPDX-License-Identifier: Apache-2.0
import type { ProposedCall } from '@writ/contract';
import { Admit, FactCache, HEADROOM_CALLS, type QueueHeadroom } from '../admission/admit/index.ts';
import { Announcer } from '../execution/announcements/index.ts';
import { Judge } from '../judging/judgement/index.ts';
import { StoredPolicySets } from '../judging/policies/index.ts';
import { Trees } from '../foundation/workspace/trees.ts';
import type { OperationRow } from '../foundation/rows/operation-row.ts';
import type { PolicyKernel } from './test-policies.ts';

/** Reads the facts of every call. */
class UncachedFactMemory extends FactCache {
  override find(): null {
    return null;
  }
}

/** When a replica checks the tenant's queue. */
export type QueueChecks = Pick<QueueHeadroom, 'reserve' | 'found'>;
/** At every call, so that cached facts make no difference at all. */
export const EVERY_CALL: QueueChecks = { reserve: () => HEADROOM_CALLS, found: () => undefined };
/** As if it had checked a moment ago: cached facts make a difference only to how many calls wait. */
export const NO_CALL: QueueChecks = { reserve: () => null, found: () => undefined };

/** The result of an admission, without the parts that differ between two like decisions. */
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
 * Another replica of the kernel, which counts how often it reads the facts of a call. It shares nothing with others but
 * the database.
 */
export class TestReplica {
  readonly memory: FactCache;
  readonly #admit: Admit;
  #reads = 0;

  constructor(
    kernel: PolicyKernel,
    caches: boolean,
    monotonic: () => number = () => performance.now(),
    queueChecks: QueueChecks = EVERY_CALL,
  ) {
    this.memory = caches ? new FactCache(monotonic, queueChecks) : new UncachedFactMemory(monotonic);
    const policies = new StoredPolicySets(kernel.engine, kernel.tenants);
    const connect = async (): Promise<unknown> => {
      const client = await kernel.tenants.pool.connect();
      return Object.assign(Object.create(client) as typeof client, {
        query: (statement: { readonly name: string }): unknown => {
          if (statement.name === 'kernel.facts_of_call') this.#reads += 1;
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

  /** How often facts were read since the last call of this method. */
  readsSinceLast(): number {
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
