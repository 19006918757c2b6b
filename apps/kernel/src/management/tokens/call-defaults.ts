// SPDX-License-Identifier: Apache-2.0
import { CALL_CHOICES_MAX, Fault, type CallDefaultsReply, type KernelRequest } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireId } from '../../foundation/tenancy/index.ts';

/** Finds the capability tokens and workspaces among which a call may be made that names none. */
export class CallDefaults {
  readonly #tenants: TenantPool;

  constructor(tenants: TenantPool) {
    this.#tenants = tenants;
  }

  /** @throws Fault `not_found` for an invalid agent id, and for another agent than that of the key */
  async find({ caller, agent_id, keyed }: KernelRequest<'call.defaults'>): Promise<CallDefaultsReply> {
    requireId('agent', agent_id);
    if (caller.agent_id !== null && caller.agent_id !== agent_id) throw new Fault('not_found');
    return await kernelSql.callDefaults(this.#tenants.pool, {
      tenant: caller.tenant_id,
      api_key: caller.api_key_id,
      agent: agent_id,
      tool: keyed?.tool_id ?? null,
      idempotency_key: keyed?.idempotency_key ?? null,
      most: CALL_CHOICES_MAX,
    });
  }
}
