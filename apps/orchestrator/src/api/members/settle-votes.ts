// SPDX-License-Identifier: Apache-2.0
// Tells the kernel whose votes count no more while they are suspended (ADR 0174).
//
// INVARIANT (completed by anybody): the change of the member notes that the kernel is to be told. A replica that stops
// leaves it to the sweep of any other one.
import { Fault, PRINCIPALS_MAX, type Caller, type TenantId } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { NamedMember, Suspensions } from '../../store/members/suspensions.ts';

/** Members that one pass of the sweep settles. */
const SWEPT_MAX = 50;

export interface SettleVotesParts {
  readonly suspensions: Suspensions;
  readonly report: (error: unknown) => void;
}

/** Settles whose votes count. */
export class SettleVotes {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #parts: SettleVotesParts;

  constructor(kernel: Pick<KernelClient, 'ask'>, parts: SettleVotesParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  /** Of one member. What fails is reported, and made again by the sweep. */
  async settle(tenantId: TenantId, memberId: string): Promise<void> {
    try {
      await this.#parts.suspensions.settle(tenantId, memberId, (member) => this.#tell(tenantId, member));
    } catch (error) {
      this.#parts.report(error);
    }
  }

  /** Of all tenants. Every replica does so every few seconds. */
  async sweep(): Promise<void> {
    for (const { tenant_id, member_id } of await this.#parts.suspensions.unsettled(SWEPT_MAX))
      await this.settle(tenant_id, member_id);
  }

  async #tell(tenant_id: TenantId, { member_id, state, changed_by, principals }: NamedMember): Promise<void> {
    const by: Caller = { tenant_id, api_key_id: changed_by, role: 'admin', agent_id: null };
    const suspended = state === 'suspended';
    if (!suspended) return await this.#activate(by, member_id);
    for (let at = 0; at < principals.length; at += PRINCIPALS_MAX) {
      const some = principals.slice(at, at + PRINCIPALS_MAX);
      await this.#kernel.ask('person.suspend', by, { member_id, suspended, principals: some });
    }
  }

  async #activate(by: Caller, member_id: NamedMember['member_id']): Promise<void> {
    try {
      await this.#kernel.ask('person.suspend', by, { member_id, suspended: false, principals: [] });
    } catch (error) {
      // Nothing is decided in a closed tenant.
      if (!(error instanceof Fault) || error.code !== 'tenant.closed') throw error;
    }
  }
}
