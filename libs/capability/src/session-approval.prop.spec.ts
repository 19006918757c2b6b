// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsResource } from '@writ/contract';
import fc from 'fast-check';
import { allowed, grants, isWithin, PATHS, TOOLS, WORKSPACES, workspaces } from './grant-model.contract.ts';
import { decideSessionToken } from './session-approval.ts';

const resources: fc.Arbitrary<FsResource[] | null> = fc.option(
  fc.array(
    fc.record({
      kind: fc.constant('fs' as const),
      access: fc.constantFrom('read' as const, 'write' as const),
      path: fc.constantFrom(...PATHS),
    }),
    { maxLength: 2 },
  ),
);
const asks = fc.record({
  workspace_id: fc.constantFrom(...WORKSPACES),
  tool_id: fc.constantFrom(...TOOLS),
  resources,
  uses: fc.integer({ min: 1, max: 5 }),
  expires_at: fc.nat(7),
});
const tokens = fc
  .record({ grant: grants, workspace_id: workspaces })
  .map(({ grant, workspace_id }): CapabilityToken => ({
    v: 1,
    capability_token_id: 'cap_0',
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    parent_id: null,
    issuer: 'k',
    created_at: 0,
    revoked_at: null,
    workspace_id,
    grant,
  }));

/** The members of a reach of one dimension. */
const only = (reach: ReadonlySet<string>, word: RegExp): string[] => [...reach].filter((one) => word.test(one)).sort();

test('a session token allows no more than its parent, and only the tool, paths and workspace of the call', () => {
  let made = 0;
  fc.assert(
    fc.property(tokens, asks, (token, ask) => {
      const verdict = decideSessionToken({ token, ...ask });
      if (verdict.effect === 'refuse') return;
      made += 1;
      const child = allowed(verdict.child);
      expect(isWithin(child, allowed(token))).toBe(true);
      expect(only(child, /^tool /)).toEqual([`tool ${ask.tool_id}`]);
      expect(only(child, /^in /)).toEqual([`in ${ask.workspace_id}`]);
      expect(verdict.child.grant.budgets.calls).toBeLessThanOrEqual(ask.uses);
      expect(verdict.child.grant.expires_at).toBeLessThanOrEqual(ask.expires_at);
      const { resources: touched } = ask;
      if (touched === null) return;
      for (const reached of only(child, /^(?:read|write) /)) {
        const [access, path] = reached.split(' ') as [string, string];
        expect(
          touched.some((one) => one.access === access && (one.path === '' || `${path}/`.startsWith(`${one.path}/`))),
        ).toBe(true);
      }
      expect(only(child, /^(?:GET|PUT|DELETE|secret) /)).toEqual([]);
    }),
    { numRuns: 3000 },
  );
  // A generator without hits proves nothing.
  expect(made).toBeGreaterThan(100);
});
