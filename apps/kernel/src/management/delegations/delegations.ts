// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  isServiceAccount,
  principalOf,
  type Caller,
  type DelegationView,
  type KernelRequest,
} from '@writ/contract';
import { contentDigest, delegationRevoked, type Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { newId } from '@writ/nest-kit';
import type { ListPage } from '@writ/paging';
import {
  requireFound,
  newestFirst,
  plainRow,
  requireId,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { delegationView } from './delegation-view.ts';

/**
 * Maximum duration of a delegation, in milliseconds: as long as a call can wait for a person. A person who is away for
 * longer hands their work over permanently.
 */
const DELEGATED_MAX_MS = 30 * 24 * 3_600_000;

/**
 * Rights to approve that people lend each other for a while. INVARIANT (one's own): a key lends only its own right. A
 * delegated right can't be delegated again.
 */
export class Delegations {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /**
   * @throws Fault `auth.role`, `request.malformed` for a delegation to oneself or beyond its bounds, `not_found` for an
   * unknown agent
   */
  async create({ caller, to, scope, note, expires_at }: KernelRequest<'delegation.create'>): Promise<DelegationView> {
    const role = requireLender(caller, scope.autonomy_mode);
    const { tenant_id } = caller;
    const from = principalOf(caller);
    if (isServiceAccount(to))
      throw new Fault('request.malformed', 'a service account decides about no call', { pointer: '/to' });
    if (to === from) throw new Fault('request.malformed', 'a right is delegated to another person', { pointer: '/to' });
    return await this.#changes.make(tenant_id, async (rows, now) => {
      if (expires_at <= now || expires_at > now + DELEGATED_MAX_MS)
        throw new Fault('request.malformed', 'a delegation ends in the future, and within 30 days', {
          pointer: '/expires_at',
        });
      if (scope.agent_id !== null)
        requireFound(
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
   * Revokes a delegation for its lender or an administrator. A repeated revocation keeps the time of the first. Votes
   * under it no longer count where the approval is still pending.
   * @throws Fault `auth.role`, `not_found`
   */
  async revoke({ caller, delegation_id }: KernelRequest<'delegation.revoke'>): Promise<DelegationView> {
    requireRole(caller, 'admin', 'operator');
    requireId('delegation', delegation_id);
    const { tenant_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      const where = { tenant_id, delegation_id };
      const seen = requireFound(await rows.delegation.findFirst({ where }));
      if (caller.role !== 'admin' && seen.from_principal !== principalOf(caller))
        throw new Fault('auth.role', 'a delegation is revoked by its lender or by an administrator');
      const { count } = await rows.delegation.updateMany({
        where: { ...where, revoked_at: null, expires_at: { gt: now } },
        data: { revoked_at: now, revoked_by: caller.api_key_id },
      });
      const value = delegationView(plainRow(requireFound(await rows.delegation.findFirst({ where }))), now);
      return { value, records: count === 0 ? [] : [delegationRevoked(caller.api_key_id, delegation_id)] };
    });
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page, standing }: KernelRequest<'delegation.list'>): Promise<ListPage<DelegationView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const items = await this.#tenancy.within(caller.tenant_id, (rows, now) =>
      readDelegations(rows, now, { tenant_id: caller.tenant_id, page, isActive: standing }),
    );
    return fittedPage(items, page.limit, ({ created_at, delegation_id }) => ({ created_at, id: delegation_id }));
  }
}

function requireLender(caller: Caller, mode: 'soft_gate' | 'escalated'): 'admin' | 'operator' {
  if (caller.role !== 'admin' && caller.role !== 'operator')
    throw new Fault('auth.role', 'delegating a right to approve needs the role `admin` or `operator`');
  if (isServiceAccount(principalOf(caller)))
    throw new Fault('auth.role', 'a service account decides about no call, and has no right to lend');
  if (mode === 'escalated' && caller.role !== 'admin')
    throw new Fault('auth.role', 'the right to decide escalated calls is delegated by the role `admin`');
  return caller.role;
}

async function readDelegations(
  rows: Rows,
  now: number,
  {
    tenant_id,
    page,
    isActive,
  }: { tenant_id: string; page: { cursor: string | null; limit: number }; isActive: boolean },
): Promise<DelegationView[]> {
  const activeOnly = isActive ? [{ revoked_at: null, expires_at: { gt: now } }] : [];
  const found = await rows.delegation.findMany({
    where: { AND: [rowsAfter(parseCursor(page.cursor), 'delegation_id'), ...activeOnly], tenant_id },
    orderBy: newestFirst('delegation_id'),
    take: page.limit + 1,
  });
  return found.map((row) => delegationView(plainRow(row), now));
}
