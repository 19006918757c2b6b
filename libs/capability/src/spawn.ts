// SPDX-License-Identifier: Apache-2.0
import {
  LIMITS,
  SPAWN_DEPTH_MAX,
  type CapabilityToken,
  type FsRoot,
  type SpawnArgs,
  type Verdict,
} from '@writ/contract';
import { attenuate, type ChildToken } from './attenuate.ts';
import { deniedPaths, isAbove } from './fs-scope.ts';

/** The sub-agent that a call requests. */
export interface SpawnRequest {
  /** leaf first, root last, all valid now */
  readonly chain: readonly CapabilityToken[];
  readonly workspace_id: string;
  /** paths in scope form */
  readonly requested: Pick<SpawnArgs, 'tools' | 'fs' | 'net' | 'secrets' | 'budgets'>;
}

/**
 * Decides whether a sub-agent may have the requested grant, and returns the fields of its token: a child of the call's
 * own, for the call's workspace. INVARIANT (children only narrow): `attenuate` decides; a request for more is refused
 * and never reduced.
 */
export function decideSpawn({ chain, workspace_id, requested }: SpawnRequest): Verdict<{ child: ChildToken }> {
  const [parent] = chain;
  if (parent === undefined)
    return { effect: 'refuse', code: 'token.unknown', message: 'there is no token to make a narrower one of' };
  if (chain.filter(({ spawned_by }) => spawned_by !== undefined).length >= SPAWN_DEPTH_MAX)
    return tooDeep(`at most ${SPAWN_DEPTH_MAX} agents stand below one another`);
  if (chain.length >= LIMITS.chainTokens.max)
    return tooDeep(`a token is at most the ${LIMITS.chainTokens.max}th of its chain`);
  const { tools, fs, net, secrets, budgets } = requested;
  return attenuate(parent, {
    workspace_id,
    ...(tools === undefined ? {} : { tools }),
    ...(fs === undefined ? {} : { fs: [...fs, ...denialsBelow(parent.grant.fs, fs)] }),
    ...(net === undefined ? {} : { net }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(budgets === undefined ? {} : { budgets }),
  });
}

const tooDeep = (message: string): Verdict<never> => ({ effect: 'refuse', code: 'token.depth', message });

/** The parent's denials below a root stay, whether the request names them or not. */
const denialsBelow = (parent: readonly FsRoot[], asked: readonly FsRoot[]): FsRoot[] =>
  deniedPaths(parent)
    .filter((path) => asked.some((root) => isAbove(root.path, path)))
    .map((path) => ({ path, read: false, write: false, denied: true }));
