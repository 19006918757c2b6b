// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type CapabilityToken, type Grant, type Verdict } from '@writ/contract';
import { optionalLists } from './optional-lists.ts';
import { excessOf } from './subset.ts';

/** What a child token is asked to grant; a dimension left out is the parent's. */
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
 * Decides whether a child may be made of the parent and gives its fields. The child is a subset of the parent in every
 * dimension; a request that reaches further is refused as `token.not_narrower` and never cut to size, since the asker
 * would believe it has what it asked for. A budget dimension left out is the parent's. Whether the parent itself holds
 * is `decideValidity`'s to say.
 */
export function attenuate(parent: CapabilityToken, request: AttenuationRequest): Verdict<{ child: ChildToken }> {
  const { workspace_id = parent.workspace_id, ...asked } = request;
  const grant = childGrant(parent.grant, asked);
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

function childGrant(parent: Grant, asked: Partial<Grant>): Grant {
  const budgets = { ...parent.budgets };
  for (const dimension of BUDGET_DIMENSIONS) {
    const bound = asked.budgets?.[dimension];
    // Absent and undefined both mean the parent's: neither may lift a bound.
    if (bound !== undefined) budgets[dimension] = bound;
  }
  return {
    tools: asked.tools ?? parent.tools,
    fs: asked.fs ?? parent.fs,
    net: asked.net ?? parent.net,
    secrets: asked.secrets ?? parent.secrets,
    ...optionalLists(asked, parent),
    budgets,
    not_before: asked.not_before ?? parent.not_before,
    expires_at: asked.expires_at ?? parent.expires_at,
  };
}

function tooWide(dimension: string, why: string): Verdict<never> {
  return {
    effect: 'refuse',
    code: 'token.not_narrower',
    message: `a child token must be a subset of its parent: \`${dimension}\`: ${why}`,
  };
}
