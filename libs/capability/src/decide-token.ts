// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FaultCode, FsResource, ScopeRoot, Verdict } from '@writ/contract';
import { scopeOf } from './fs-scope.ts';
import { matchesTool } from './tool-pattern.ts';

/**
 * A call and the tokens that it runs under. `chain` starts with the token of the call, then its parent, up to the root.
 */
export interface TokenRequest {
  readonly chain: readonly CapabilityToken[];
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly workspace_id: string;
  readonly session_id: string | null;
  /** absent: a mode that no job's token allows; so for `proposed_by`, the key on whose behalf the call is made */
  readonly session_mode?: 'interactive' | 'gateway' | 'scheduled';
  readonly proposed_by?: string;
  readonly tool_id: string;
  /** milliseconds since the epoch, by the clock of the database */
  readonly now: number;
  /** the resources in the arguments, with paths as the workspace library parses them */
  readonly resources: readonly FsResource[];
  /** the roots of the tenant's own settings, one more scope beside those of the chain: see `tenantScope` */
  readonly tenant_scope: readonly ScopeRoot[];
}

type Refusal = Extract<Verdict, { effect: 'refuse' }>;

/**
 * Decides whether the token allows the call. Every token of the chain must be valid and grant it, although a child is a
 * subset of its parent: an issuing mistake must not become a grant.
 */
export function decideToken(ask: TokenRequest): Verdict {
  return decideChain(ask) ?? decideValidity(ask.chain, ask.now) ?? decideGrant(ask) ?? { effect: 'allow' };
}

/**
 * Refuses unless every token of the chain is valid at `now`: started, not expired, not revoked. Undefined if all are.
 */
export function decideValidity(chain: readonly CapabilityToken[], now: number): Refusal | undefined {
  if (chain.some((token) => token.revoked_at !== null)) {
    return refusal(
      'token.revoked',
      'the capability token or one that it derives from was revoked',
      'ask for a new token',
    );
  }
  for (const { grant } of chain) {
    if (now < grant.not_before)
      return refusal('token.not_yet_valid', `the capability token is valid from \`${instant(grant.not_before)}\``);
    if (now >= grant.expires_at)
      return refusal(
        'token.expired',
        `the capability token expired at \`${instant(grant.expires_at)}\``,
        'ask for a new token',
      );
  }
  return undefined;
}

/** A broken chain, or one of another tenant, is answered like a missing one. */
function decideChain({ chain, tenant_id, agent_id }: TokenRequest): Refusal | undefined {
  const [leaf] = chain;
  const linked = chain.every(
    (token, index) =>
      token.tenant_id === tenant_id && token.parent_id === (chain[index + 1]?.capability_token_id ?? null),
  );
  if (leaf === undefined || !linked) return refusal('token.unknown', 'there is no such capability token');
  if (leaf.agent_id !== agent_id) return refusal('token.agent', 'the capability token belongs to another agent');
  return undefined;
}

function decideGrant(ask: TokenRequest): Refusal | undefined {
  const { chain, workspace_id, session_id, tool_id } = ask;
  if (!chain.every((token) => token.grant.tools.some((pattern) => matchesTool(pattern, tool_id)))) {
    return refusal(
      'token.tool',
      `the capability token does not grant \`${tool_id}\``,
      `a token that grants \`${tool_id}\` would do`,
    );
  }
  if (!chain.every((token) => token.workspace_id === null || token.workspace_id === workspace_id)) {
    return refusal('token.scope', 'the capability token is for another workspace');
  }
  if (!chain.every(({ session_approval: approved }) => approved === undefined || approved.session_id === session_id)) {
    return refusal('token.scope', 'the capability token is for another session', 'name the token that it was made of');
  }
  const jobRefusal = decideJob(ask);
  return jobRefusal ?? decidePaths(ask);
}

/** INVARIANT (every scope): each path must be within the scope of each token, and within the tenant's own. */
function decidePaths({ chain, resources, tenant_scope }: TokenRequest): Refusal | undefined {
  const outside = resources.find(({ access, path }) => !chain.every((token) => scopeOf(token.grant.fs, access)(path)));
  if (outside !== undefined)
    return refusal(
      'token.scope',
      `the capability token does not let \`${shown(outside)}\` be ${done(outside)}`,
      `a token with a ${outside.access} root at or above the path would do`,
    );
  const denied = resources.find(({ access, path }) => !scopeOf(tenant_scope, access)(path));
  if (denied === undefined) return undefined;
  return refusal(
    'path.denied',
    `the settings of the tenant do not let calls reach \`${shown(denied)}\``,
    'no token helps; an administrator changes the paths that calls may reach (`writ settings`)',
  );
}

const shown = ({ path }: FsResource): string => path || '/workspace';
const done = ({ access }: FsResource): string => (access === 'read' ? 'read' : 'written');

/**
 * INVARIANT (a listing is its job's): a job's token allows the job's runs alone. Its calls belong to a scheduled
 * session, since other sessions need no listing. They are made on behalf of the key that listed the tools, so an agent
 * cannot use the approval outside of the job.
 */
function decideJob({ chain, session_mode, proposed_by }: TokenRequest): Refusal | undefined {
  const jobs = chain.filter(({ job }) => job !== undefined);
  if (jobs.length === 0) return undefined;
  if (session_mode !== 'scheduled')
    return refusal(
      'token.scope',
      'the capability token is for the runs of a job, which are scheduled',
      'name the token that it was made of',
    );
  if (jobs.some(({ issuer }) => issuer !== proposed_by))
    return refusal(
      'token.scope',
      'the capability token is for the runs of a job, on behalf of the key that made it',
      'name the token that it was made of',
    );
  return undefined;
}

/** Answers whether a job lists the tool: every token of a job in the chain must list it. */
export function listsTool(chain: readonly Pick<CapabilityToken, 'job'>[], toolId: string): boolean {
  const jobs = chain.flatMap(({ job }) => (job === undefined ? [] : [job]));
  return jobs.length > 0 && jobs.every(({ tools }) => tools.includes(toolId));
}

/** The last instant that ECMAScript can format (ECMA-262 §21.4.1.1); tokens may have any safe integer. */
const LAST_INSTANT_MS = 8.64e15;
const instant = (milliseconds: number): string => new Date(Math.min(milliseconds, LAST_INSTANT_MS)).toISOString();

function refusal(code: FaultCode, message: string, hint?: string): Refusal {
  return hint === undefined ? { effect: 'refuse', code, message } : { effect: 'refuse', code, message, hint };
}
