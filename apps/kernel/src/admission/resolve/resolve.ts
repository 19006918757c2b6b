// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { isProposer } from '../../execution/held/index.ts';
import type { RecordSealer } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation } from '../../foundation/rows/attempt-rows.ts';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { resolutionRecord } from './resolution-record.ts';

/**
 * Records the outcome of an ambiguous call. A person or the tenant's own system (the reconcile hook, ADR 0017) has
 * checked the external system and states it. It runs nothing and changes no workspace, since the effect in doubt is
 * external. The idempotency key stays claimed.
 */
export class Resolve {
  readonly #tenants: TenantPool;
  readonly #sealer: RecordSealer;
  readonly #announcer: Announcer;
  readonly #views: OperationViews;

  constructor(tenants: TenantPool, sealer: RecordSealer, announcer: Announcer, views: OperationViews) {
    this.#tenants = tenants;
    this.#sealer = sealer;
    this.#announcer = announcer;
    this.#views = views;
  }

  /**
   * Resolves once the outcome, its record and the settlement are durable. The same resolution twice is one.
   * @throws Fault `auth.role`, `resolution.own_call`, `not_found`, `conflict` for a call that isn't ambiguous or was
   * resolved otherwise
   */
  async run(request: KernelRequest<'operation.resolve'>): Promise<OperationView> {
    const { caller, operation_id } = request;
    requireRole(caller, 'admin', 'operator');
    requireId('operation', operation_id);
    const seen = await kernelSql.readOperation(this.#tenants.pool, {
      tenant: caller.tenant_id,
      operation: operation_id,
    });
    if (seen === null) throw new Fault('not_found');
    requireNotProposer(request, seen.operation);
    const row = isUnresolved(seen.operation) ? await this.#resolve(seen, request) : seen.operation;
    if (row.state !== 'ambiguous')
      throw new Fault('conflict', `the operation is \`${row.state}\`, and only an \`ambiguous\` one is resolved`);
    if (row.resolution !== request.outcome)
      throw new Fault('conflict', `the operation was resolved as \`${String(row.resolution)}\` already`);
    return await this.#views.of(row);
  }

  /** The row afterwards. It has another caller's resolution where that was first. */
  async #resolve(
    { now, operation }: SeenOperation,
    request: KernelRequest<'operation.resolve'>,
  ): Promise<OperationRow> {
    const { tenant_id, operation_id } = operation;
    const sealed = this.#sealer.seal(resolutionRecord(operation, request, now), {
      actionDigest: operation.action_digest,
      newRoot: null,
    });
    const change = {
      operation_id,
      outcome: request.outcome,
      note: request.note,
      resolved_by: request.caller.api_key_id,
      record: { record_id: sealed.record_id, keyid: sealed.keyid },
    };
    const resolved = await kernelSql.resolveOperation(this.#tenants.pool, {
      tenant: tenant_id,
      p: change,
      payload: sealed.payload,
      sig: sealed.sig,
    });
    if (resolved === null) throw new Fault('not_found');
    if (resolved.recorded) this.#announcer.announce(resolved.operation, [sealed]);
    return resolved.operation;
  }
}

const isUnresolved = ({ state, resolution }: OperationRow): boolean => state === 'ambiguous' && resolution === null;

/**
 * INVARIANT (four eyes): a proposer or an editor of a call doesn't resolve it, whatever the role.
 * @throws Fault `resolution.own_call`
 */
function requireNotProposer(
  { caller, other_names }: Pick<KernelRequest<'operation.resolve'>, 'caller' | 'other_names'>,
  operation: OperationRow,
): void {
  if (isProposer(caller, operation, other_names)) throw new Fault('resolution.own_call');
}
