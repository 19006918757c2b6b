// SPDX-License-Identifier: Apache-2.0
import { Fault, TOOLS, type FreezeView, type KernelRequest } from '@writ/contract';
import { postable } from '../../judging/judgement/index.ts';
import type { Events } from '../../execution/announcements/events.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import type { RecordSealer } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { mustDecideAgain } from '../../foundation/database/kernel-errors.ts';
import { newId } from '@writ/nest-kit';
import { readToolInForce } from '../../judging/definitions/tenant-tools.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import type { FreezeFacts } from '../../foundation/database/functions/freezes.ts';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { freezeRecord, ownerOf, stopFrozen, type Frozen, type Owner } from '../../execution/freezes/index.ts';
import { freezeView } from './freeze-view.ts';

type PlaceRequest = KernelRequest<'freeze.place'>;

/** Maximum number of tries of one request, each because others placed or lifted the same freeze. */
const TRIES_MAX = 5;

/** Collaborators of placing and lifting. */
export interface FreezeDependencies {
  readonly tenants: TenantPool;
  readonly workers: CrossTenantPool;
  readonly sealer: RecordSealer;
  readonly outbox: Outbox;
  readonly events: Events;
}

/**
 * Stops all calls in a scope. INVARIANT (stopped means stopped): once this has resolved, no covered call is admitted
 * and none commits. The database guarantees this, under the lock on the rules (kernel.hold_rules). Notifying the
 * executors only saves useless work.
 */
export class PlaceFreeze {
  readonly #dependencies: FreezeDependencies;

  constructor(dependencies: FreezeDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Resolves once the freeze and its record are durable. An active freeze on the same subject stays, with the later end
   * of both.
   * @throws Fault `auth.role`, `not_found` for another tenant or an unknown agent, `tool.unknown`, `request.malformed`,
   * `overloaded`
   */
  async run(request: PlaceRequest): Promise<FreezeView> {
    const owner = ownerOf(request.caller);
    const subject = subjectOf(request, owner);
    if (
      request.scope === 'tool' &&
      !TOOLS.has(subject) &&
      (await readToolInForce(this.#dependencies.tenants, owner.tenant, subject)) === null
    )
      throw new Fault('tool.unknown');
    for (let times = 0; times < TRIES_MAX; times++) {
      const facts = await kernelSql.freezeFacts(this.#dependencies.tenants.pool, {
        tenant: owner.tenant,
        scope: request.scope,
        subject,
      });
      const placed = await this.#place(request, owner, subject, facts);
      if (placed === null) continue;
      await stopFrozen(this.#dependencies, owner.tenant);
      return freezeView(placed, facts.now);
    }
    throw new Fault('overloaded', 'others kept placing and lifting the same freeze');
  }

  /** The active freeze, or null when another was placed or lifted meanwhile. */
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
      this.#dependencies.sealer,
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
      const placed = await kernelSql.placeFreeze(this.#dependencies.tenants.pool, { tenant: owner.tenant, p: order });
      this.#dependencies.outbox.enqueue([record]);
      return placed;
    } catch (error) {
      if (mustDecideAgain(error)) return null;
      throw error;
    }
  }
}

/** Whether a freeze that ends at `standing` (null: never) lasts until `asked`. */
const isCovered = (asked: number | null, active: number | null): boolean =>
  active === null || (asked !== null && asked <= active);

/** The subject of the scope, after a check that the caller may freeze it. */
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
