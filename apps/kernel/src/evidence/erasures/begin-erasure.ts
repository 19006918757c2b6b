// SPDX-License-Identifier: Apache-2.0
import { Fault, type ErasurePlan, type ErasureView, type KernelRequest } from '@writ/contract';
import type { Changes } from '../changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { newId } from '@writ/nest-kit';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ErasureRow } from '../../foundation/rows/erasure-row.ts';
import { requireFound, plainRow, requireId, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { eraseNext } from './erase-batches.ts';
import { erasureView } from './erasure-row.ts';

/** Calls that a plan examines: they are counted within a second, and are more than a person reviews one by one. */
const PLAN_ROWS = 10_000;

type Selectors = Pick<KernelRequest<'erasure.begin'>, 'operation_id' | 'session_id' | 'subject' | 'before' | 'texts'>;
type Selection = Pick<ErasureRow, 'selector' | 'operation_id' | 'session_id' | 'subject' | 'until'> & {
  readonly session_ids: string[];
};

/**
 * Begins erasures: the contents of the first batch are gone when it answers, the rest follows. INVARIANT (ended first):
 * the content of a call that runs, waits or is in doubt isn't erased, since it is still needed.
 */
export class BeginErasure {
  readonly #tenants: TenantPool;
  readonly #changes: Changes;

  constructor(tenants: TenantPool, changes: Changes) {
    this.#tenants = tenants;
    this.#changes = changes;
  }

  /**
   * Resolves once the first batch and its record are durable. A repeated request erases nothing twice: it returns the
   * erasure that did it, or one that finds nothing left.
   * @throws Fault `auth.role`, `request.malformed`, `not_found`, `conflict` where a call or a session hasn't ended
   */
  async run(request: KernelRequest<'erasure.begin'>): Promise<ErasureView> {
    const { caller, reason_code } = request;
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.upkeep<ErasureView>(tenant_id, async (rows, now) => {
      const selection = selectionOf(request, now);
      const existing = await findExistingErasure(rows, tenant_id, selection);
      if (existing !== null) return { value: erasureView(existing), records: [] };
      await requireEnded(rows, tenant_id, selection);
      const erasure_id = newId('erasure');
      await rows.erasure.createMany({
        data: [
          {
            erasure_id,
            tenant_id,
            ...selection,
            until: BigInt(selection.until),
            reason_code,
            requested_by: api_key_id,
          },
        ],
      });
      const { value, records } = await eraseNext(rows, tenant_id, erasure_id);
      return { value: erasureView(requireFound(value)), records };
    });
  }

  /** What it would erase now; the count ends at a bound. @throws Fault as `run`, except for calls that haven't ended */
  async plan(request: KernelRequest<'erasure.plan'>): Promise<ErasurePlan> {
    const { caller } = request;
    requireRole(caller, 'admin');
    const selection = selectionOf(request, await kernelSql.nowMs(this.#tenants.pool, {}));
    const { operations, unfinished, looked } = await kernelSql.erasurePlan(this.#tenants.pool, {
      tenant: caller.tenant_id,
      erasure: selection,
      rows: PLAN_ROWS,
    });
    if (selection.selector === 'operation' && looked === 0) throw new Fault('not_found');
    return { dry_run: true, operations, unfinished, more: looked >= PLAN_ROWS };
  }
}

/** @param now milliseconds by the database's clock */
function selectionOf({ operation_id, session_id, subject = null, before, texts }: Selectors, now: number): Selection {
  if ([operation_id, session_id, subject, before].filter((given) => given !== null).length !== 1) {
    throw new Fault(
      'request.malformed',
      'an erasure takes exactly one of `operation_id`, `session_id`, `subject` and `before`',
    );
  }
  if (texts?.alone === true && session_id === null)
    throw new Fault(
      'request.malformed',
      'texts are erased alone only where a session is deleted: `session_id` is missing',
    );
  const selection = {
    operation_id: null,
    session_id: null,
    subject: null,
    until: now + 1,
    session_ids: texts?.session_ids ?? [],
  };
  if (operation_id !== null) {
    requireId('operation', operation_id);
    return { ...selection, selector: 'operation', operation_id };
  }
  if (session_id !== null)
    return { ...selection, selector: texts?.alone === true ? 'conversation' : 'session', session_id };
  if (subject !== null) return { ...selection, selector: 'subject', subject };
  if (before === null || before > now)
    throw new Fault('request.malformed', 'an erasure is of calls that were made: `before` lies in the future', {
      pointer: '/before',
    });
  return { ...selection, selector: 'before', until: before };
}

/**
 * The existing erasure that covers the request: the one that erased the call, or one that runs for the same session,
 * subject or moment. A finished erasure doesn't cover texts that are still there.
 */
async function findExistingErasure(
  rows: Rows,
  tenantId: string,
  { selector, operation_id, session_id, session_ids, subject, until }: Selection,
): Promise<ErasureRow | null> {
  const where =
    operation_id === null
      ? {
          tenant_id: tenantId,
          state: 'running',
          selector,
          ...(selector === 'before' ? { until: BigInt(until) } : { session_id, subject }),
        }
      : {
          tenant_id: tenantId,
          erasure_id:
            (
              (await rows.operation.findFirst({
                where: { tenant_id: tenantId, operation_id },
                select: { erased: true },
              })) as Pick<OperationRow, 'erased'> | null
            )?.erased?.erasure_id ?? '',
        };
  const row = await rows.erasure.findFirst({
    where: session_ids.length === 0 ? where : { ...where, state: 'running' },
  });
  return row === null ? null : (plainRow(row) as ErasureRow);
}

async function requireEnded(rows: Rows, tenantId: string, selection: Selection): Promise<void> {
  const { selector, operation_id, session_id, session_ids, subject } = selection;
  if (selector === 'before' || selector === 'conversation') return;
  if (operation_id !== null) {
    const { state, resolution } = requireFound(
      await rows.operation.findFirst({
        where: { tenant_id: tenantId, operation_id },
        select: { state: true, resolution: true },
      }),
    );
    if (state === 'ambiguous' && resolution === null)
      throw new Fault(
        'conflict',
        `what became of \`${operation_id}\` is in doubt, and its content is needed to find out: resolve it first`,
      );
    if (!FINAL_STATES.includes(state))
      throw new Fault(
        'conflict',
        `\`${operation_id}\` is \`${state}\`: its content is erased once it has ended, so wait for that or cancel it`,
      );
    return;
  }
  const owner =
    subject === null
      ? { session_id: { in: [...session_ids, session_id ?? ''] } }
      : { OR: [{ data_subject: subject }, { data_subject: null, agent_id: subject }] };
  const unfinished = {
    AND: [
      { tenant_id: tenantId },
      owner,
      { OR: [{ state: { notIn: FINAL_STATES } }, { state: 'ambiguous', resolution: null }] },
    ],
  };
  const first = await rows.operation.findFirst({
    where: unfinished,
    select: { operation_id: true, state: true },
    orderBy: [{ created_at: 'asc' }, { operation_id: 'asc' }],
  });
  if (first !== null) {
    throw new Fault(
      'conflict',
      `${String(await rows.operation.count({ where: unfinished }))} of the ${selector}'s calls have not ended: \`${first.operation_id}\` is \`${first.state}\``,
    );
  }
}

/** States of calls that are over; an ambiguous call is over once a person has resolved it. */
const FINAL_STATES = ['refused', 'committed', 'rolled_back', 'no_op', 'ambiguous'];
