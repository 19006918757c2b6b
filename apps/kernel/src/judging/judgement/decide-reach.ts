// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode, type TenantId } from '@writ/contract';
import { decideToken, tenantScope } from '@writ/capability';
import { decideEgress } from '@writ/egress';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';
import type { Resource, WellFormed } from './decide-form.ts';

/** Why a path can fail to resolve in the tree. */
const PATH_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'path.escape',
  'path.invalid',
  'file.kind',
  'file.not_found',
]);

/** A call that its token permits, on a workspace that exists. */
export interface Reached {
  readonly effect: 'allow';
  /** the snapshot that the call is decided on and runs on */
  readonly head: string;
  /** with symlinks followed */
  readonly resources: readonly Resource[];
}

/**
 * Decides whether the token, and the settings of the tenant, permit the call. INVARIANT (both paths): a path must be in
 * scope as it was written and as the links of the tree resolve it. So neither a link nor a spelling widens a scope. The
 * tree is read only for a token that is valid for the workspace.
 */
export async function decideReach(
  trees: Trees,
  call: JudgedCall,
  facts: CallFacts,
  form: WellFormed,
): Promise<Reached | Refusal> {
  const written = tokenVerdict(call, facts, form.resources) ?? requestVerdict(facts, form);
  if (written !== null) return written;
  if (facts.head === null) return refusal('workspace.unknown', 'there is no such workspace');
  const resources = await resolveResources(trees, call.tenant_id, facts.head, form.resources);
  if ('effect' in resources) return resources;
  return tokenVerdict(call, facts, resources) ?? { effect: 'allow', head: facts.head, resources };
}

function tokenVerdict(call: JudgedCall, facts: CallFacts, resources: readonly Resource[]): Refusal | null {
  const verdict = decideToken({
    chain: facts.chain.map(({ token }) => token),
    tenant_id: call.tenant_id,
    agent_id: call.agent_id,
    workspace_id: call.workspace_id,
    session_id: call.session_id,
    session_mode: call.session_mode,
    proposed_by: call.proposed_by,
    tool_id: call.tool_id,
    now: facts.now,
    resources,
    tenant_scope: tenantScope(facts.rules.settings),
  });
  return verdict.effect === 'refuse' ? verdict : null;
}

/** Decides requests by the net grants of the whole chain; the egress gate decides where the host resolves to. */
function requestVerdict({ chain }: CallFacts, { requests }: WellFormed): Refusal | null {
  for (const { method, target } of requests) {
    const verdict = decideEgress(
      chain.map(({ token }) => token.grant.net),
      method,
      target,
    );
    if (verdict.effect === 'refuse') return verdict;
  }
  return null;
}

async function resolveResources(
  trees: Trees,
  tenantId: TenantId,
  head: string,
  written: readonly Resource[],
): Promise<readonly Resource[] | Refusal> {
  try {
    return await Promise.all(
      written.map(async (resource) => ({ ...resource, path: await trees.resolve(tenantId, head, resource.path) })),
    );
  } catch (error) {
    if (error instanceof Fault && PATH_FAULTS.has(error.code)) return refusal(error.code, error.message);
    throw error;
  }
}
