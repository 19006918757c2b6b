// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsResource, FsRoot, Grant } from '@writ/contract';
import { deniedPaths, isAbove } from './fs-scope.ts';
import type { AttenuationRequest } from './attenuate.ts';
import { noOptionalLists } from './optional-lists.ts';

/** The kind of action that a child token is to allow, and how long and how often. */
export interface NarrowAsk {
  readonly token: CapabilityToken;
  readonly tool_id: string;
  /**
   * Paths in scope form that the tool may touch, each with all below it; null keeps the token's roots, for a command
   * whose paths can't be known.
   */
  readonly resources: readonly FsResource[] | null;
  /** how many calls it serves; the token's own bound if that is lower */
  readonly uses: number;
  /** milliseconds since the epoch; the token's own end if that is earlier */
  readonly expires_at: number;
  /** hosts and secrets that the kind of action needs; none unless said */
  readonly net?: Grant['net'];
  readonly secrets?: Grant['secrets'];
}

/**
 * Writes the request for a child token that allows one kind of action and nothing else: "approve for the session" is
 * such a child, used in the place of its parent. Only the count and the end are cut to what the token has, since less
 * of them is still what was asked for; a resource that the token doesn't reach stays in the request, and `attenuate`
 * refuses it. The beginning and the other budgets are the token's.
 */
export function narrowTo({
  token,
  tool_id,
  resources,
  uses,
  expires_at,
  net = [],
  secrets = [],
}: NarrowAsk): AttenuationRequest {
  const { grant } = token;
  return {
    tools: [tool_id],
    fs: resources === null ? grant.fs : [...rootsOf(resources), ...denialsWithin(grant.fs, resources)],
    net,
    secrets,
    // No profiles: a raw command is approved one call at a time. No effects: nobody has seen what the calls will do.
    ...noOptionalLists(),
    budgets: { calls: Math.min(uses, grant.budgets.calls ?? uses) },
    expires_at: Math.min(expires_at, grant.expires_at),
  };
}

/**
 * What the token denies below those paths, a child of it denies as well. A path that is denied itself stays without:
 * `attenuate` refuses it.
 */
function denialsWithin(roots: readonly FsRoot[], resources: readonly FsResource[]): FsRoot[] {
  return deniedPaths(roots)
    .filter((denied) => resources.some(({ path }) => isAbove(path, denied)))
    .map((path) => ({ path, read: false, write: false, denied: true }));
}

/** One root a path, with every access that is asked for there. */
function rootsOf(resources: readonly FsResource[]): FsRoot[] {
  const paths = [...new Set(resources.map(({ path }) => path))];
  const asks = (path: string, access: FsResource['access']): boolean =>
    resources.some((one) => one.path === path && one.access === access);
  return paths.map((path) => ({ path, read: asks(path, 'read'), write: asks(path, 'write') }));
}
