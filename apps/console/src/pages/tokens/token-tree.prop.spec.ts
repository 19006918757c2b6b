// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { treeOf, withAncestors } from './token-tree.ts';

/** Tokens whose parents are older ones, or are not in the list; newest first, as the server lists them. */
const lists = fc
  .array(fc.nat({ max: 6 }), { maxLength: 30 })
  .map((parents) =>
    parents
      .map((back, at) => ({
        capability_token_id: `cap_${at}`,
        parent_id: back === 0 ? null : back === 6 ? 'cap_unknown' : at - back < 0 ? null : `cap_${at - back}`,
      }))
      .toReversed(),
  );

describe('the tree of tokens', () => {
  it('has each token once', () => {
    fc.assert(
      fc.property(lists, (tokens) => {
        const shown = treeOf(tokens).map(({ token }) => token.capability_token_id);
        expect(shown.toSorted()).toEqual(tokens.map((token) => token.capability_token_id).toSorted());
      }),
    );
  });

  it('has each token below its parent: the last row of a smaller depth is it', () => {
    fc.assert(
      fc.property(lists, (tokens) => {
        const rows = treeOf(tokens);
        for (const [at, { token, depth }] of rows.entries()) {
          const above = rows.slice(0, at).findLast((row) => row.depth < depth);
          if (depth === 0) expect([null, 'cap_unknown']).toContain(token.parent_id);
          else expect([above?.token.capability_token_id, above?.depth]).toEqual([token.parent_id, depth - 1]);
        }
      }),
    );
  });

  it('with a filter keeps what matches, and what is above it', () => {
    fc.assert(
      fc.property(lists, fc.nat({ max: 30 }), (tokens, chosen) => {
        const kept = withAncestors(tokens, (token) => token.capability_token_id === `cap_${chosen}`);
        const ids = kept.map((token) => token.capability_token_id);
        expect(ids.includes(`cap_${chosen}`)).toBe(
          tokens.some((token) => token.capability_token_id === `cap_${chosen}`),
        );
        for (const { parent_id } of kept) if (parent_id?.match(/\d/u)) expect(ids).toContain(parent_id);
      }),
    );
  });
});
