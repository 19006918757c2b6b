// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type CapabilityToken, type Grant, type Verdict } from '@writ/contract';
import { optionalLists } from './optional-lists.ts';
import { excessOf } from './subset.ts';

/** The requested grant of a child token; a dimension left out is the parent's. */
export interface AttenuationRequest extends Partial<Grant> {
  readonly workspace_id?: string | null;
}

/** The fields of a child that follow from its parent; the issuer adds id, agent, issuer and time. */
export interface ChildToken {
  readonly tenant_id: string;
  readonly parent_id: string;
  readonly workspace_id: string | null;
  readonly grant: Grant;
}

/**
 * Decides whether the parent may have such a child, and returns its fields. The child is a subset of the parent in
 * every dimension. A request for more is refused as `token.not_narrower` and never reduced, since the caller would
 * believe that it got what it requested. A budget dimension left out is the parent's. `decideValidity` checks whether
 * the parent itself is valid.
 */
export function attenuate(parent: CapabilityToken, request: AttenuationRequest): Verdict<{ child: ChildToken }> {
  const { workspace_id = parent.workspace_id, ...requested } = request;
  const grant = childGrant(parent.grant, requested);
  const excess = excessOf(grant, parent.grant)[0];
  if (excess) return tooWide(excess.dimension, `\`${excess.detail}\` is not within the parent's`);
  if (grant.not_before >= grant.expires_at) return tooWide('expires_at', 'it must lie after `not_before`');
  if (parent.workspace_id !== null && workspace_id !== parent.workspace_id)
    return tooWide('workspace_id', "it must be the parent's");
  return {
    effect: 'allow',
    child: { tenant_id: parent.tenant_id, parent_id: parent.capability_token_id, workspace_id, grant },
  };
}

function childGrant(parent: Grant, requested: Partial<Grant>): Grant {
  const budgets = { ...parent.budgets };
  for (const dimension of BUDGET_DIMENSIONS) {
    const bound = requested.budgets?.[dimension];
    // Absent and undefined both mean the parent's: neither may remove a limit.
    if (bound !== undefined) budgets[dimension] = bound;
  }
  return {
    tools: requested.tools ?? parent.tools,
    fs: requested.fs ?? parent.fs,
    net: requested.net ?? parent.net,
    secrets: requested.secrets ?? parent.secrets,
    ...optionalLists(requested, parent),
    budgets,
    not_before: requested.not_before ?? parent.not_before,
    expires_at: requested.expires_at ?? parent.expires_at,
  };
}

function tooWide(dimension: string, why: string): Verdict<never> {
  return {
    effect: 'refuse',
    code: 'token.not_narrower',
    message: `a child token must be a subset of its parent: \`${dimension}\`: ${why}`,
  };
}
