// SPDX-License-Identifier: Apache-2.0
import { Fault, LANES, type FreezeView, type KernelRequest } from '@writ/contract';
import { postable } from '../../judging/judgement/index.ts';
import type { WakeUp } from '../../execution/announcements/wake-up.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { isAgain } from '../../foundation/database/kernel-errors.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { SeenFreeze } from '../../foundation/database/functions/freezes.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { freezeRecord, ownerOf, type Owner } from './freeze-record.ts';
import { readFreeze } from './freezes.ts';
import { freezeView } from './freeze-view.ts';
import type { FreezeParts } from './place-freeze.ts';

/** Ends freezes. What waited under one goes on by itself; what was refused or ended stays so. */
export class LiftFreeze {
  readonly #parts: FreezeParts;
  readonly #bell: WakeUp;

  constructor(parts: FreezeParts, bell: WakeUp) {
    this.#parts = parts;
    this.#bell = bell;
  }

  /** One that is over already stays as it is. @throws Fault `not_found`, `auth.role` */
  async run({ caller, freeze_id }: KernelRequest<'freeze.lift'>): Promise<FreezeView> {
    if (caller !== null) requireRole(caller, 'admin');
    const owner = ownerOf(caller);
    const seen = await readFreeze(this.#parts.tenants, caller, freeze_id);
    if (seen.freeze.tenant_id !== owner.tenant)
      throw new Fault('auth.role', 'the whole deployment is frozen: the platform key lifts it');
    if (freezeView(seen.freeze, seen.now).state !== 'standing') return freezeView(seen.freeze, seen.now);
    const lifted = await this.#lift(seen, owner);
    if (lifted === null) {
      const after = await readFreeze(this.#parts.tenants, caller, freeze_id);
      return freezeView(after.freeze, after.now);
    }
    for (const lane of LANES) this.#bell.wake(lane);
    return freezeView(lifted, seen.now);
  }

  /** Null when it was over before. */
  async #lift({ freeze, now }: SeenFreeze, owner: Owner): Promise<FreezeRow | null> {
    const record = freezeRecord(this.#parts.sealer, owner, 'freeze_lifted', freeze, now);
    const order = {
      freeze_id: freeze.freeze_id,
      lifted_by: owner.actor,
      log_tenant: owner.log,
      record: postable(record),
    };
    try {
      const row = await kernelSql.liftFreeze(this.#parts.tenants.pool, { tenant: owner.tenant, p: order });
      this.#parts.outbox.hand([record]);
      return row;
    } catch (error) {
      if (isAgain(error)) return null;
      throw error;
    }
  }
}
