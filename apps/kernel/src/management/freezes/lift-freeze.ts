// SPDX-License-Identifier: Apache-2.0
import { Fault, LANES, type FreezeView, type KernelRequest } from '@writ/contract';
import { postable } from '../../judging/judgement/index.ts';
import type { WakeUp } from '../../execution/announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { mustDecideAgain } from '../../foundation/database/kernel-errors.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { SeenFreeze } from '../../foundation/database/functions/freezes.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { freezeRecord, ownerOf, type Owner } from '../../execution/freezes/index.ts';
import { readFreeze } from './freezes.ts';
import { freezeView } from './freeze-view.ts';
import type { FreezeDependencies } from './place-freeze.ts';

/** Ends freezes. Calls that waited under a freeze continue. Calls that were refused or ended stay so. */
export class LiftFreeze {
  readonly #dependencies: FreezeDependencies;
  readonly #wakeUp: WakeUp;

  constructor(dependencies: FreezeDependencies, wakeUp: WakeUp) {
    this.#dependencies = dependencies;
    this.#wakeUp = wakeUp;
  }

  /** A freeze that has ended already stays as it is. @throws Fault `not_found`, `auth.role` */
  async run({ caller, freeze_id }: KernelRequest<'freeze.lift'>): Promise<FreezeView> {
    if (caller !== null) requireRole(caller, 'admin');
    const owner = ownerOf(caller);
    const seen = await readFreeze(this.#dependencies.tenants, caller, freeze_id);
    if (seen.freeze.tenant_id !== owner.tenant)
      throw new Fault('auth.role', 'the whole deployment is frozen: the platform key lifts it');
    if (freezeView(seen.freeze, seen.now).state !== 'standing') return freezeView(seen.freeze, seen.now);
    const lifted = await this.#lift(seen, owner);
    if (lifted === null) {
      const after = await readFreeze(this.#dependencies.tenants, caller, freeze_id);
      return freezeView(after.freeze, after.now);
    }
    for (const lane of LANES) this.#wakeUp.wake(lane);
    return freezeView(lifted, seen.now);
  }

  /** Null when it had ended before. */
  async #lift({ freeze, now }: SeenFreeze, owner: Owner): Promise<FreezeRow | null> {
    const record = freezeRecord(this.#dependencies.sealer, owner, 'freeze_lifted', freeze, now);
    const order = {
      freeze_id: freeze.freeze_id,
      lifted_by: owner.actor,
      log_tenant: owner.log,
      record: postable(record),
    };
    try {
      const row = await kernelSql.liftFreeze(this.#dependencies.tenants.pool, { tenant: owner.tenant, p: order });
      this.#dependencies.outbox.enqueue([record]);
      return row;
    } catch (error) {
      if (mustDecideAgain(error)) return null;
      throw error;
    }
  }
}
