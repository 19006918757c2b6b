// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsResource, FsRoot, Grant } from '@writ/contract';
import { deniedPaths, isAbove } from './fs-scope.ts';
import type { AttenuationRequest } from './attenuate.ts';
import { noOptionalLists } from './optional-lists.ts';

/** The kind of action that a child token allows, its end and its number of calls. */
export interface NarrowRequest {
  readonly token: CapabilityToken;
  readonly tool_id: string;
  /**
   * Paths in scope form that the tool may touch, each with everything below it. Null keeps the token's roots, for a
   * command with unknown paths.
   */
  readonly resources: readonly FsResource[] | null;
  /** number of calls; the token's own limit if that is lower */
  readonly uses: number;
  /** milliseconds since the epoch; the token's own end if that is earlier */
  readonly expires_at: number;
  /** hosts, secrets and registered resources for the kind of action; none by default */
  readonly net?: Grant['net'];
  readonly secrets?: Grant['secrets'];
  readonly registered?: Grant['resources'];
}

/**
 * Makes the request for a child token that allows one kind of action and nothing else: a session grant is such a child,
 * used in place of its parent. Only the count and the end are reduced to the token's, since that still satisfies the
 * request. A resource outside of the token's roots stays in the request, and `attenuate` refuses it. The beginning and
 * the other budgets are the token's.
 */
export function narrowTo({
  token,
  tool_id,
  resources,
  uses,
  expires_at,
  net = [],
  secrets = [],
  registered = [],
}: NarrowRequest): AttenuationRequest {
  const { grant } = token;
  return {
    tools: [tool_id],
    fs: resources === null ? grant.fs : [...rootsOf(resources), ...denialsWithin(grant.fs, resources)],
    net,
    secrets,
    // No profiles: each raw command needs its own approval. No effects: nobody has seen the effects of the later calls.
    ...noOptionalLists(),
    resources: registered,
    budgets: { calls: Math.min(uses, grant.budgets.calls ?? uses) },
    expires_at: Math.min(expires_at, grant.expires_at),
  };
}

/**
 * The paths below those that the token denies; a child denies them as well. A denied path itself stays without a
 * denial, and `attenuate` refuses it.
 */
function denialsWithin(roots: readonly FsRoot[], resources: readonly FsResource[]): FsRoot[] {
  return deniedPaths(roots)
    .filter((denied) => resources.some(({ path }) => isAbove(path, denied)))
    .map((path) => ({ path, read: false, write: false, denied: true }));
}

/** One root per path, with every access that is requested there. */
function rootsOf(resources: readonly FsResource[]): FsRoot[] {
  const paths = [...new Set(resources.map(({ path }) => path))];
  const isRequested = (path: string, access: FsResource['access']): boolean =>
    resources.some((one) => one.path === path && one.access === access);
  return paths.map((path) => ({ path, read: isRequested(path, 'read'), write: isRequested(path, 'write') }));
}
