// SPDX-License-Identifier: Apache-2.0
import { Fault, TOOLS, type FreezeView, type KernelRequest } from '@writ/contract';
import { postable } from '../../judging/judgement/index.ts';
import type { Events } from '../../execution/announcements/events.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import type { RecordSealer } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { isAgain } from '../../foundation/database/kernel-errors.ts';
import { newId } from '@writ/nest-kit';
import { readToolInForce } from '../../judging/tools/tenant-tools.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import type { FreezeFacts } from '../../foundation/database/functions/freezes.ts';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { freezeRecord, ownerOf, type Frozen, type Owner } from './freeze-record.ts';
import { freezeView } from './freeze-view.ts';
import { stopFrozen } from './stop-frozen.ts';

type PlaceRequest = KernelRequest<'freeze.place'>;

/** Times that one placing is tried while others place or lift the same. */
const TRIES_MAX = 5;

/** What placing and lifting work with. */
export interface FreezeParts {
  readonly tenants: TenantPool;
  readonly workers: CrossTenantPool;
  readonly sealer: RecordSealer;
  readonly outbox: Outbox;
  readonly events: Events;
}

/**
 * Stops everything that a scope covers. INVARIANT (stopped means stopped): once this has resolved, no covered call is
 * admitted and none commits. The database sees to it, under the lock on the rules (kernel.hold_rules); telling the
 * executors only saves what they would do in vain.
 */
export class PlaceFreeze {
  readonly #parts: FreezeParts;

  constructor(parts: FreezeParts) {
    this.#parts = parts;
  }

  /**
   * Resolves once the freeze and its record are durable. Where one stands on the same, that one stays, with the later
   * end of both.
   * @throws Fault `auth.role`, `not_found` for another tenant or an agent that isn't there, `tool.unknown`,
   * `request.malformed`, `overloaded`
   */
  async run(request: PlaceRequest): Promise<FreezeView> {
    const owner = ownerOf(request.caller);
    const subject = subjectOf(request, owner);
    if (
      request.scope === 'tool' &&
      !TOOLS.has(subject) &&
      (await readToolInForce(this.#parts.tenants, owner.tenant, subject)) === null
    )
      throw new Fault('tool.unknown');
    for (let times = 0; times < TRIES_MAX; times++) {
      const facts = await kernelSql.freezeFacts(this.#parts.tenants.pool, {
        tenant: owner.tenant,
        scope: request.scope,
        subject,
      });
      const placed = await this.#place(request, owner, subject, facts);
      if (placed === null) continue;
      await stopFrozen(this.#parts, owner.tenant);
      return freezeView(placed, facts.now);
    }
    throw new Fault('overloaded', 'others kept placing and lifting the same freeze');
  }

  /** The freeze that stands now, or null when another was placed or lifted meanwhile. */
  async #place(
    { scope, reason, expires_at }: PlaceRequest,
    owner: Owner,
    subject: string,
    { now, standing, there }: FreezeFacts,
  ): Promise<FreezeRow | null> {
    if (!there) throw new Fault('not_found');
    if (expires_at !== null && expires_at <= now)
      throw new Fault('request.malformed', 'the freeze would be over before it began', { pointer: '/expires_at' });
    if (standing !== null && isCovered(expires_at, standing.expires_at)) return standing;
    const freeze: Frozen = {
      freeze_id: standing?.freeze_id ?? newId('freeze'),
      scope,
      subject,
      reason: standing?.reason ?? reason,
      expires_at,
    };
    const record = freezeRecord(
      this.#parts.sealer,
      owner,
      standing === null ? 'freeze_placed' : 'freeze_extended',
      freeze,
      now,
    );
    const order = {
      freeze: { ...freeze, placed_by: owner.actor },
      log_tenant: owner.log,
      record: postable(record),
      seen: standing === null ? null : { freeze_id: standing.freeze_id, expires_at: standing.expires_at },
    };
    try {
      const placed = await kernelSql.placeFreeze(this.#parts.tenants.pool, { tenant: owner.tenant, p: order });
      this.#parts.outbox.hand([record]);
      return placed;
    } catch (error) {
      if (isAgain(error)) return null;
      throw error;
    }
  }
}

/** Whether one that ends then (null: never) lasts as long as is asked for. */
const isCovered = (asked: number | null, standing: number | null): boolean =>
  standing === null || (asked !== null && asked <= standing);

/** What the scope names, once the caller may stop it. */
function subjectOf({ caller, scope, id }: PlaceRequest, owner: Owner): string {
  if ((scope === 'all') !== (caller === null))
    throw new Fault('auth.role', "the platform key freezes `all`, and keys of a tenant what is the tenant's");
  if (caller !== null) requireRole(caller, 'admin', 'operator');
  if (scope === 'agent' || scope === 'tool') {
    if (id === null) throw new Fault('request.malformed', `the scope \`${scope}\` takes an \`id\``, { pointer: '/id' });
    if (scope === 'agent') requireId('agent', id);
    return id;
  }
  if (id !== null && id !== owner.tenant) throw new Fault('not_found');
  return owner.tenant;
}
