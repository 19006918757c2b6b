// SPDX-License-Identifier: Apache-2.0
import { LIMITS, SPAWN_DEPTH_MAX, type CapabilityToken, type Grant } from '@writ/contract';
import fc from 'fast-check';
import { excessOf } from './subset.ts';
import { decideSpawn, type SpawnRequest } from './spawn.ts';

const grant: Grant = {
  tools: ['fs.*', 'agent.spawn'],
  fs: [
    { path: 'src', read: true, write: true },
    { path: 'src/keys', read: false, write: false, denied: true },
  ],
  net: [{ domain: 'a.org', methods: ['GET'] }],
  secrets: ['KEY'],
  budgets: { calls: 9 },
  not_before: 0,
  expires_at: 200,
};
const token = (more: Partial<CapabilityToken> = {}): CapabilityToken => ({
  v: 1,
  capability_token_id: 'cap_p',
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  workspace_id: null,
  issuer: 'key_1',
  created_at: 0,
  revoked_at: null,
  grant,
  ...more,
});
const spawn = (asked: SpawnRequest['requested'], chain: readonly CapabilityToken[] = [token()]) =>
  decideSpawn({ chain, workspace_id: 'wsp_1', requested: asked });

test('a sub-agent has its caller’s grant, for the workspace of the call, unless less is requested', () => {
  expect(spawn({})).toEqual({
    effect: 'allow',
    child: { tenant_id: 'ten_a', parent_id: 'cap_p', workspace_id: 'wsp_1', grant },
  });
  expect(
    spawn({
      tools: ['fs.read'],
      fs: [{ path: 'src/a', read: true, write: false }],
      net: [],
      secrets: [],
      budgets: { calls: 2 },
    }),
  ).toMatchObject({
    child: {
      grant: {
        tools: ['fs.read'],
        fs: [{ path: 'src/a', read: true, write: false }],
        net: [],
        secrets: [],
        budgets: { calls: 2 },
      },
    },
  });
});

test('the caller’s denials below a path stay, even if the request omits them', () => {
  expect(spawn({ fs: [{ path: 'src', read: true, write: false }] })).toMatchObject({
    child: {
      grant: {
        fs: [
          { path: 'src', read: true, write: false },
          { path: 'src/keys', denied: true },
        ],
      },
    },
  });
});

test.each([
  [{ tools: ['shell.run'] }],
  [{ fs: [{ path: '', read: true, write: false }] }],
  [{ fs: [{ path: 'src/keys', read: true, write: false }] }],
  [{ net: [{ domain: 'b.org', methods: ['GET'] }] }],
  [{ secrets: ['OTHER'] }],
  [{ budgets: { calls: 10 } }],
] satisfies [SpawnRequest['requested']][])('more than the caller has is refused: %j', (asked) => {
  expect(spawn(asked)).toMatchObject({ effect: 'refuse', code: 'token.not_narrower' });
});

test('the depth of sub-agents and the length of a chain are limited', () => {
  const below = (n: number, spawned: number) =>
    Array.from({ length: n }, (_, at) => token(at < spawned ? { spawned_by: 'op_1' } : {}));
  expect(spawn({}, below(5, SPAWN_DEPTH_MAX - 1)).effect).toBe('allow');
  expect(spawn({}, below(5, SPAWN_DEPTH_MAX))).toMatchObject({ code: 'token.depth' });
  expect(spawn({}, below(LIMITS.chainTokens.max, 0))).toMatchObject({ code: 'token.depth' });
  expect(spawn({}, [])).toMatchObject({ code: 'token.unknown' });
});

test('for any request, an allowed sub-agent never exceeds its caller', () => {
  const names = fc.constantFrom('*', 'fs.*', 'fs.read', 'shell.run', 'agent.spawn');
  const roots = fc.record({
    path: fc.constantFrom('', 'src', 'src/a', 'src/keys', 'src/keys/b', '../x', 'lib'),
    read: fc.boolean(),
    write: fc.boolean(),
  });
  const asked = fc.record(
    {
      tools: fc.array(names, { maxLength: 3 }),
      fs: fc.array(roots, { maxLength: 3 }),
      secrets: fc.subarray(['KEY', 'OTHER']),
      net: fc.subarray([
        { domain: 'a.org', methods: ['GET'] },
        { domain: '*.a.org', methods: ['GET', 'POST'] },
      ]),
      budgets: fc.record({ calls: fc.nat(12) }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(asked, (ask) => {
      const verdict = spawn(ask);
      return verdict.effect === 'refuse' || excessOf(verdict.child.grant, grant).length === 0;
    }),
  );
});
