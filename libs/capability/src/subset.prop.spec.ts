// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type CapabilityToken, type Grant } from '@writ/contract';
import fc from 'fast-check';
import { attenuate, type AttenuationRequest } from './attenuate.ts';
import { decideToken } from './decide-token.ts';
import { allowed, grants, isWithin, PATHS, TOOLS, WORKSPACES, workspaces, type Reach } from './grant-model.contract.ts';
import { isSubset } from './subset.ts';

const DIMENSIONS = [
  'tools',
  'fs',
  'net',
  'secrets',
  'profiles',
  'resources',
  'effects',
  'budgets',
  'not_before',
  'expires_at',
] as const satisfies readonly (keyof Grant)[];

const base = {
  v: 1 as const,
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  issuer: 'k',
  created_at: 0,
  revoked_at: null,
};
const tokenOf = (reach: Reach, id = 'cap_0'): CapabilityToken => ({
  ...base,
  capability_token_id: id,
  workspace_id: reach.workspace_id,
  grant: reach.grant,
});
const tokens = fc.record({ grant: grants, workspace_id: workspaces }).map((reach) => tokenOf(reach));

/**
 * Requests that leave some dimensions out, and copy others from the parent, so that some are granted and not all
 * refused.
 */
const requests = fc
  .record({ asked: grants, workspace_id: workspaces, kept: fc.subarray([...DIMENSIONS, 'workspace_id']) })
  .map(
    ({ asked, workspace_id, kept }) =>
      Object.fromEntries(
        Object.entries({ ...asked, workspace_id }).filter(([name]) => !kept.includes(name as never)),
      ) as AttenuationRequest,
  );

/**
 * The grant in the request: its own members, and the parent's where it has none. A budget is left out by its dimension.
 */
const wordOf = ({ workspace_id, ...asked }: AttenuationRequest, parent: CapabilityToken): Reach => ({
  workspace_id: workspace_id === undefined ? parent.workspace_id : workspace_id,
  grant: { ...parent.grant, ...asked, budgets: { ...parent.grant.budgets, ...asked.budgets } },
});

/** A chain, leaf first, of the requests that were granted one after another. */
function chainOf(root: CapabilityToken, asks: readonly AttenuationRequest[]): CapabilityToken[] {
  let chain = [root];
  for (const ask of asks) {
    const verdict = attenuate(chain[0] as CapabilityToken, ask);
    if (verdict.effect === 'allow')
      chain = [{ ...base, ...verdict.child, capability_token_id: `cap_${chain.length}` }, ...chain];
  }
  return chain;
}

describe('a child only narrows, as the sets of the model show', () => {
  test('in all dimensions at once', () => {
    fc.assert(
      fc.property(grants, grants, (child, parent) => {
        expect(isSubset(child, parent)).toBe(
          isWithin(allowed({ grant: child, workspace_id: null }), allowed({ grant: parent, workspace_id: null })),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test.each(DIMENSIONS.filter((dimension) => dimension !== 'not_before' && dimension !== 'expires_at'))(
    'in `%s`',
    (dimension) => {
      const seen = { within: 0, beyond: 0 };
      fc.assert(
        fc.property(grants, grants, (a, parent) => {
          const child: Grant = { ...parent, [dimension]: a[dimension] ?? [] };
          const expected = isWithin(
            allowed({ grant: child, workspace_id: null }),
            allowed({ grant: parent, workspace_id: null }),
          );
          seen[expected ? 'within' : 'beyond'] += 1;
          expect(isSubset(child, parent)).toBe(expected);
        }),
        { numRuns: 2000 },
      );
      // A generator without hits proves nothing.
      expect(Math.min(seen.within, seen.beyond)).toBeGreaterThan(50);
    },
  );

  test('in time', () => {
    fc.assert(
      fc.property(grants, grants, ({ not_before, expires_at }, parent) => {
        const child: Grant = { ...parent, not_before, expires_at };
        expect(isSubset(child, parent)).toBe(
          isWithin(allowed({ grant: child, workspace_id: null }), allowed({ grant: parent, workspace_id: null })),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('attenuation', () => {
  test('grants exactly the requests within the parent, and grants them unchanged', () => {
    const seen = { granted: 0, refused: 0 };
    fc.assert(
      fc.property(tokens, requests, (parent, request) => {
        const word = wordOf(request, parent);
        // The parent's beginning and the request's end may leave an empty period.
        const isEmpty = word.grant.not_before >= word.grant.expires_at;
        const expected = !isEmpty && isWithin(allowed(word), allowed(parent));
        const verdict = attenuate(parent, request);
        seen[expected ? 'granted' : 'refused'] += 1;
        expect(verdict.effect).toBe(expected ? 'allow' : 'refuse');
        if (verdict.effect === 'allow') expect([...allowed(verdict.child)].sort()).toEqual([...allowed(word)].sort());
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(seen.granted, seen.refused)).toBeGreaterThan(50);
  });

  test('keeps every descendant, however deep, within each of its ancestors', () => {
    let deepest = 0;
    fc.assert(
      fc.property(tokens, fc.array(requests, { maxLength: 12 }), (root, asks) => {
        const chain = chainOf(root, asks);
        deepest = Math.max(deepest, chain.length);
        const [leaf, ...above] = chain.map(allowed);
        for (const ancestor of above) expect(isWithin(leaf as ReadonlySet<string>, ancestor)).toBe(true);
        for (const dimension of BUDGET_DIMENSIONS)
          if (root.grant.budgets[dimension] !== undefined) expect(chain[0]?.grant.budgets[dimension]).toBeDefined();
      }),
      { numRuns: 1000 },
    );
    expect(deepest).toBeGreaterThan(3);
  });

  test('a chain allows exactly the calls that its leaf allows', () => {
    const calls = fc.record({
      tool_id: fc.constantFrom(...TOOLS),
      workspace_id: fc.constantFrom(...WORKSPACES),
      now: fc.nat(5),
      resources: fc.array(
        fc.record({
          kind: fc.constant('fs' as const),
          access: fc.constantFrom('read' as const, 'write' as const),
          path: fc.constantFrom(...PATHS),
        }),
        { maxLength: 2 },
      ),
    });
    fc.assert(
      fc.property(
        tokens,
        fc.array(requests, { maxLength: 8 }),
        fc.array(calls, { maxLength: 10 }),
        (root, asks, some) => {
          const chain = chainOf(root, asks);
          const leaf = allowed(chain[0] as CapabilityToken);
          for (const call of some) {
            const expected =
              leaf.has(`tool ${call.tool_id}`) &&
              leaf.has(`in ${call.workspace_id}`) &&
              leaf.has(`at ${call.now}`) &&
              call.resources.every(({ access, path }) => leaf.has(`${access} ${path}`));
            expect(
              decideToken({
                chain,
                tenant_id: 'ten_a',
                agent_id: 'agt_a',
                session_id: null,
                tenant_scope: [{ path: '', read: true, write: true }],
                ...call,
              }).effect,
            ).toBe(expected ? 'allow' : 'refuse');
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
