// SPDX-License-Identifier: Apache-2.0
import { AGENT_SPAWN, Fault, type CapabilityToken, type KernelRequest } from '@writ/contract';
import { decideValidity } from '@writ/capability';
import { inTenant } from '@writ/database';
import type { Changes } from '../../evidence/changes/index.ts';
import { spawnVerdict, type ArgumentsReader } from '../../judging/judgement/index.ts';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import { newId } from '@writ/nest-kit';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireFound, agentFilterOf, requireId, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { insertToken } from './insert-token.ts';
import { lockChain } from './lock-chain.ts';
import { tokenViews, type TokenView } from './token-view.ts';

/** A call of `agent.spawn` that succeeded. */
interface Spawn {
  readonly capability_token_id: string;
  readonly agent_id: string;
  readonly workspace_id: string;
  readonly args: Buffer | null;
  readonly args_ref: ArgumentsRef | null;
}

/* The call ran (a dry run has no lane), succeeded, and was not erased. */
const SPAWN = `
  SELECT o.capability_token_id, o.agent_id, o.workspace_id, p.args, p.args_ref
  FROM kernel.operation o JOIN kernel.payload p USING (operation_id)
  WHERE o.operation_id = $1 AND o.tenant_id = $2 AND ($3::text IS NULL OR o.agent_id = $3) AND o.tool_id = $4
    AND o.state IN ('committed', 'no_op') AND o.fault_code IS NULL AND o.lane IS NOT NULL`;

/**
 * Makes the token of the sub-agent of a committed call. INVARIANT (the call is the right): the token grants what the
 * recorded arguments request, narrowed from the call's own token. The caller names only the call. INVARIANT (one
 * sub-agent a call): a repeated request gets the same token.
 */
export class SpawnToken {
  readonly #tenants: TenantPool;
  readonly #changes: Changes;
  readonly #args: ArgumentsReader;

  constructor(tenants: TenantPool, changes: Changes, args: ArgumentsReader) {
    this.#tenants = tenants;
    this.#changes = changes;
    this.#args = args;
  }

  /**
   * @throws Fault `auth.role`, `not_found` for another or an erased call, `token.revoked`, `token.expired`,
   * `token.not_narrower`, `token.depth`
   */
  async run({ caller, operation_id }: KernelRequest<'token.spawn'>): Promise<TokenView> {
    requireRole(caller, 'admin', 'agent');
    requireId('operation', operation_id);
    const { tenant_id } = caller;
    const { agent_id = null } = agentFilterOf(caller);
    const {
      rows: [row],
    } = await inTenant(
      this.#tenants.pool,
      tenant_id,
      async (client) => await client.query<Spawn>(SPAWN, [operation_id, tenant_id, agent_id, AGENT_SPAWN.tool_id]),
      { readOnly: true },
    );
    const spawn = requireFound(row ?? null);
    const args = requireFound(await this.#args.readAdmittedValue({ tenant_id, operation_id }, spawn));
    const capability_token_id = newId('token');
    return await this.#changes.make(tenant_id, async (rows, now) => {
      // A concurrent request waits here, and then finds the token.
      await rows.$queryRaw`SELECT 1 FROM kernel.operation WHERE operation_id = ${operation_id} FOR UPDATE`;
      const made = await rows.token.findFirst({ where: { tenant_id, spawned_by: operation_id } });
      if (made !== null) return { value: requireFound((await tokenViews(rows, [made]))[0]), records: [] };
      const token = {
        ...(await this.#child(rows, caller, spawn, args, now)),
        v: 1,
        capability_token_id,
        agent_id: spawn.agent_id,
        issuer: caller.api_key_id,
        created_at: now,
        revoked_at: null,
        spawned_by: operation_id,
      } as const;
      const chain = await rows.token.findFirst({
        where: { tenant_id, capability_token_id: spawn.capability_token_id },
        select: { chain: true },
      });
      return await insertToken(rows, caller, 'token_attenuated', token, [
        ...requireFound(chain).chain,
        capability_token_id,
      ]);
    });
  }

  async #child(
    rows: Rows,
    caller: KernelRequest<'token.spawn'>['caller'],
    spawn: Spawn,
    args: Readonly<Record<string, unknown>>,
    now: number,
  ): Promise<Pick<CapabilityToken, 'tenant_id' | 'parent_id' | 'workspace_id' | 'grant'>> {
    const chain = await lockChain(rows, caller, spawn.capability_token_id);
    const invalid = decideValidity(chain, now);
    if (invalid !== undefined) throw new Fault(invalid.code, invalid.message);
    const verdict = spawnVerdict(chain, spawn.workspace_id, args);
    if (verdict.effect === 'refuse') throw new Fault(verdict.code, verdict.message);
    return verdict.child;
  }
}
