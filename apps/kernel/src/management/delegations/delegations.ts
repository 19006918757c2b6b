// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type Caller, type DelegationView, type KernelRequest } from '@writ/contract';
import { contentDigest, delegationRevoked, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { newId } from '@writ/nest-kit';
import type { Listed } from '@writ/paging';
import {
  found,
  newestFirst,
  plainRow,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { delegationView } from './delegation-view.ts';

/** As long as anything waits for a person: whoever is away for longer hands their work over for good. */
const DELEGATED_MAX_MS = 30 * 24 * 3_600_000;

/**
 * Rights to approve that people lend each other for a while. INVARIANT (one's own): what is lent is the right of the
 * key that lends it. What was lent to somebody can't be lent on, since nobody lends more than their own.
 */
export class Delegations {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * @throws Fault `auth.role`, `request.malformed` for one to oneself or past its bounds, `not_found` for an agent that
   * isn't there
   */
  async create({ caller, to, scope, note, expires_at }: KernelRequest<'delegation.create'>): Promise<DelegationView> {
    const role = requireLender(caller, scope.autonomy_mode);
    const { tenant_id } = caller;
    const from = principalOf(caller);
    if (to === from) throw new Fault('request.malformed', 'a right is delegated to somebody else', { pointer: '/to' });
    return await this.#changes.make(tenant_id, async (rows, now) => {
      if (expires_at <= now || expires_at > now + DELEGATED_MAX_MS)
        throw new Fault('request.malformed', 'a delegation ends in the future, and within 30 days', {
          pointer: '/expires_at',
        });
      if (scope.agent_id !== null)
        found(
          await rows.agent.findFirst({ where: { tenant_id, agent_id: scope.agent_id }, select: { agent_id: true } }),
        );
      const made = {
        delegation_id: newId('delegation'),
        tenant_id,
        from_principal: from,
        role,
        to_principal: to,
        tools: scope.tools ?? [],
        agent_id: scope.agent_id,
        autonomy_mode: scope.autonomy_mode,
        note,
        created_at: now,
        created_by: caller.api_key_id,
        expires_at,
        revoked_at: null,
        revoked_by: null,
      };
      await rows.delegation.createMany({ data: [made] });
      const digest = contentDigest({ delegation_id: made.delegation_id, from, role, to, scope, expires_at });
      return {
        value: delegationView(made, now),
        records: [
          {
            kind: 'approval',
            actor: caller.api_key_id,
            change: { verb: 'delegate', subject: made.delegation_id, digest },
          },
        ],
      };
    });
  }

  /**
   * By who lent it, or an administrator; once or many times, it is revoked at the first. Votes under it count no more
   * where the approval is still pending.
   * @throws Fault `auth.role`, `not_found`
   */
  async revoke({ caller, delegation_id }: KernelRequest<'delegation.revoke'>): Promise<DelegationView> {
    requireRole(caller, 'admin', 'operator');
    requireId('delegation', delegation_id);
    const { tenant_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const where = { tenant_id, delegation_id };
      const seen = found(await rows.delegation.findFirst({ where }));
      if (caller.role !== 'admin' && seen.from_principal !== principalOf(caller))
        throw new Fault('auth.role', 'a delegation is revoked by who made it, or by an administrator');
      const { count } = await rows.delegation.updateMany({
        where: { ...where, revoked_at: null, expires_at: { gt: now } },
        data: { revoked_at: now, revoked_by: caller.api_key_id },
      });
      const value = delegationView(plainRow(found(await rows.delegation.findFirst({ where }))), now);
      return { value, records: count === 0 ? [] : [delegationRevoked(caller.api_key_id, delegation_id)] };
    });
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page, standing }: KernelRequest<'delegation.list'>): Promise<Listed<DelegationView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const items = await this.#tenancy.within(caller.tenant_id, (rows, now) =>
      listed(rows, now, { tenant_id: caller.tenant_id, page, standing }),
    );
    return fittedPage(items, page.limit, ({ created_at, delegation_id }) => ({ created_at, id: delegation_id }));
  }
}

function requireLender(caller: Caller, mode: 'soft_gate' | 'escalated'): 'admin' | 'operator' {
  if (caller.role !== 'admin' && caller.role !== 'operator')
    throw new Fault('auth.role', 'who delegates a right to approve has it: that takes the role `admin` or `operator`');
  if (mode === 'escalated' && caller.role !== 'admin')
    throw new Fault('auth.role', 'what is escalated is decided, and so delegated, by the role `admin`');
  return caller.role;
}

async function listed(
  rows: Rows,
  now: number,
  {
    tenant_id,
    page,
    standing,
  }: { tenant_id: string; page: { cursor: string | null; limit: number }; standing: boolean },
): Promise<DelegationView[]> {
  const alive = standing ? [{ revoked_at: null, expires_at: { gt: now } }] : [];
  const found = await rows.delegation.findMany({
    where: { AND: [rowsAfter(parseCursor(page.cursor), 'delegation_id'), ...alive], tenant_id },
    orderBy: newestFirst('delegation_id'),
    take: page.limit + 1,
  });
  return found.map((row) => delegationView(plainRow(row), now));
}
