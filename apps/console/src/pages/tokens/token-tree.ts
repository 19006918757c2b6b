// SPDX-License-Identifier: Apache-2.0
import type { Token } from '@writ/client/web';

/** A row of the tree: a token, and how many tokens are above it there. */
export interface TreeRow<One> {
  readonly token: One;
  readonly depth: number;
}

type Node = Pick<Token, 'capability_token_id' | 'parent_id'>;

/**
 * The tokens as a tree, as rows: each stands below its parent, in the order of the list. A token whose parent is not in
 * the list stands at the root, so that none is left out.
 */
export function treeOf<One extends Node>(tokens: readonly One[]): readonly TreeRow<One>[] {
  const known = new Set(tokens.map(({ capability_token_id }) => capability_token_id));
  const children = new Map<string | null, One[]>();
  for (const token of tokens) {
    const parent = token.parent_id !== null && known.has(token.parent_id) ? token.parent_id : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [token]);
    else siblings.push(token);
  }
  const rows: TreeRow<One>[] = [];
  const open = (children.get(null) ?? []).map((token) => ({ token, depth: 0 })).toReversed();
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    const { token, depth } = row;
    rows.push(row);
    for (const child of (children.get(token.capability_token_id) ?? []).toReversed())
      open.push({ token: child, depth: depth + 1 });
  }
  return rows;
}

/** The tokens that match, with all above them, without which they would stand nowhere. */
export function withAncestors<One extends Node>(
  tokens: readonly One[],
  matches: (token: One) => boolean,
): readonly One[] {
  const byId = new Map(tokens.map((token) => [token.capability_token_id, token]));
  const kept = new Set<string>();
  for (const token of tokens.filter(matches))
    for (let one: One | undefined = token; one !== undefined && !kept.has(one.capability_token_id);) {
      kept.add(one.capability_token_id);
      one = one.parent_id === null ? undefined : byId.get(one.parent_id);
    }
  return tokens.filter(({ capability_token_id }) => kept.has(capability_token_id));
}

export type TokenState = 'usable' | 'revoked' | 'expired' | 'future';

/** Whether calls can use a token, and why not. */
export function stateOf({ revoked, grant }: Pick<Token, 'revoked' | 'grant'>, now: number): TokenState {
  if (revoked) return 'revoked';
  if (grant.expires_at <= now) return 'expired';
  return grant.not_before > now ? 'future' : 'usable';
}
