// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Caller, type CapabilityToken, type KernelRequest } from '@writ/contract';
import { attenuate, decideValidity, type AttenuationRequest, type ChildToken } from '@writ/capability';
import type { Changed, Changes } from '../../evidence/changes/index.ts';
import { newId } from '@writ/nest-kit';
import { requireFound, requireId, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { insertToken } from './insert-token.ts';
import { lockChain } from './lock-chain.ts';
import type { TokenView } from './token-view.ts';
import { verifyGrant } from './verify-grant.ts';

/**
 * Derives narrower tokens. INVARIANT (children only narrow): a child grants a subset of its parent in every dimension,
 * under a chain that is valid at that moment.
 */
export class AttenuateToken {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * An administrator narrows any token of the tenant. An agent narrows the tokens that it holds, for itself or for
   * another agent of the tenant.
   * @throws Fault `auth.role`, `not_found`, `token.revoked`, `token.expired`, `token.not_yet_valid`,
   * `token.not_narrower`, `token.depth`, and those of `verifyGrant`
   */
  async run({
    caller,
    parent_id,
    agent_id,
    workspace_id,
    grant,
  }: KernelRequest<'token.attenuate'>): Promise<TokenView> {
    requireRole(caller, 'admin', 'agent');
    requireId('token', parent_id);
    if (agent_id !== null) requireId('agent', agent_id);
    if (typeof workspace_id === 'string') requireId('workspace', workspace_id);
    const { tenant_id } = caller;
    const capability_token_id = newId('token');
    return await this.#changes.make(tenant_id, (rows, now) =>
      deriveToken(rows, caller, { capability_token_id, parent_id, agent_id, workspace_id, grant }, now),
    );
  }
}

/** A child as it is asked for. */
export type DerivedToken = Pick<
  KernelRequest<'token.attenuate'>,
  'parent_id' | 'agent_id' | 'workspace_id' | 'grant'
> & {
  readonly capability_token_id: string;
  /** made for a credential that is exchanged, which alone uses it */
  readonly exchanged?: true;
};

/**
 * Makes a child within the transaction of `rows`.
 * @throws Fault as `AttenuateToken.run`, except `auth.role`
 */
export async function deriveToken(
  rows: Rows,
  caller: Caller,
  { capability_token_id, parent_id, agent_id, workspace_id, grant, exchanged }: DerivedToken,
  now: number,
): Promise<Changed<TokenView>> {
  const { tenant_id } = caller;
  const chain = await lockChain(rows, caller, parent_id);
  const [parent] = chain as [CapabilityToken];
  // A grant without profiles or effects grants none. Other fields that the request leaves out are inherited from the
  // parent.
  const child = narrowToken(
    chain,
    { profiles: [], resources: [], effects: [], ...verifyGrant(grant, now), workspace_id },
    now,
  );
  await requireWorkspace(rows, tenant_id, child.workspace_id);
  const holder = await holderOf(rows, tenant_id, agent_id ?? parent.agent_id);
  const token = {
    v: 1,
    ...child,
    capability_token_id,
    agent_id: holder,
    issuer: caller.api_key_id,
    created_at: now,
    revoked_at: null,
  } as const;
  const ids = [...chain.map((above) => above.capability_token_id).reverse(), capability_token_id];
  return await insertToken(rows, caller, 'token_attenuated', token, ids, exchanged);
}

const { chainTokens } = LIMITS;

/**
 * A child of the chain's first token. The chain must be valid now.
 * @throws Fault `token.revoked`, `token.expired`, `token.not_yet_valid`, `token.not_narrower`, `token.depth`
 */
export function narrowToken(chain: readonly CapabilityToken[], asked: AttenuationRequest, now: number): ChildToken {
  const invalid = decideValidity(chain, now);
  if (invalid !== undefined) throw new Fault(invalid.code, invalid.message);
  if (chain.length >= chainTokens.max)
    throw new Fault(chainTokens.fault, `a token is at most the ${chainTokens.max}th of its chain`);
  const verdict = attenuate(chain[0] as CapabilityToken, asked);
  if (verdict.effect === 'refuse') throw new Fault(verdict.code, verdict.message);
  return verdict.child;
}

/** The agent that holds the child: an agent of this tenant. @throws Fault `not_found` */
async function holderOf(rows: Rows, tenantId: string, agentId: string): Promise<string> {
  return requireFound(
    await rows.agent.findFirst({ where: { agent_id: agentId, tenant_id: tenantId }, select: { agent_id: true } }),
  ).agent_id;
}

/** Foreign keys span all tenants. This check is within one tenant. @throws Fault `not_found` */
export async function requireWorkspace(rows: Rows, tenantId: string, workspaceId: string | null): Promise<void> {
  if (workspaceId !== null)
    requireFound(
      await rows.workspace.findFirst({
        where: { workspace_id: workspaceId, tenant_id: tenantId },
        select: { workspace_id: true },
      }),
    );
}
