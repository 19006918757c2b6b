// SPDX-License-Identifier: Apache-2.0
import { BUDGET_DIMENSIONS, type Budgets, type FsRoot, type Grant } from '@writ/contract';
import fc from 'fast-check';
import { attenuate } from './attenuate.ts';
import { coversDomain } from './net-scope.ts';
import { coversPath } from './fs-scope.ts';
import { isSubset } from './subset.ts';
import { matchesTool } from './tool-pattern.ts';

/*
 * The model: a finite universe of tools, paths, hosts and so on, in which a grant is the set of the things it allows. Every universe
 * holds a name that no pattern below spells out, so that a family is never the sum of its listed members, as it isn't among all names.
 */
const TOOLS = ['fs', 'fs.read', 'fs.write', 'fs.sub.a', 'fs.sub.other', 'fs.other', 'net.get', 'net.other', 'other'];
const PATHS = ['', 'a', 'a/b', 'a/b/c', 'a/b/other', 'a/other', 'ab', 'b', 'other'];
const HOSTS = ['a.org', 'x.a.org', 'y.x.a.org', 'other.x.a.org', 'other.a.org', 'b.org', 'xa.org'];

const roots: fc.Arbitrary<FsRoot> = fc.record({ path: fc.constantFrom('', 'a', 'a/b', 'a/b/c', 'ab', 'b'), read: fc.boolean(), write: fc.boolean() });
const budgets: fc.Arbitrary<Budgets> = fc.record({ calls: fc.nat(3), cpu_ms: fc.nat(3) }, { requiredKeys: [] });
const grants: fc.Arbitrary<Grant> = fc.record({
  tools: fc.array(fc.constantFrom('*', 'fs.*', 'fs.sub.*', 'fs.read', 'fs.write', 'net.*', 'net.get', 'fs'), { maxLength: 3 }),
  fs: fc.array(roots, { maxLength: 3 }),
  net: fc.array(fc.record({
    domain: fc.constantFrom('a.org', '*.a.org', '*.x.a.org', 'x.a.org', 'b.org', 'xa.org'),
    methods: fc.uniqueArray(fc.constantFrom('GET', 'PUT')),
  }), { maxLength: 3 }),
  secrets: fc.uniqueArray(fc.constantFrom('A', 'B')),
  budgets,
  not_before: fc.nat(2),
  expires_at: fc.nat({ max: 2 }).map((n) => n + 1),
});

/** Everything the grant allows, spelled out. */
function allowed(grant: Grant): Set<string> {
  const all = new Set<string>();
  for (const tool of TOOLS) if (grant.tools.some((pattern) => matchesTool(pattern, tool))) all.add(`tool ${tool}`);
  for (const path of PATHS) for (const access of ['read', 'write'] as const) if (coversPath(grant.fs, access, path)) all.add(`${access} ${path}`);
  for (const host of HOSTS) {
    for (const { domain, methods } of grant.net) if (coversDomain(domain, host)) for (const method of methods) all.add(`${method} ${host}`);
  }
  for (const name of grant.secrets) all.add(`secret ${name}`);
  for (const dimension of BUDGET_DIMENSIONS) for (let n = 0; n <= Math.min(4, grant.budgets[dimension] ?? 4); n += 1) all.add(`${dimension} ${n}`);
  // Time without its bounds: an empty validity would make every other dimension irrelevant, and subsets are judged one by one.
  for (let t = -1; t < grant.expires_at; t += 1) all.add(`until ${t}`);
  for (let t = 4; t >= grant.not_before; t -= 1) all.add(`since ${t}`);
  return all;
}

const within = (inner: Set<string>, outer: Set<string>) => [...inner].every((one) => outer.has(one));

describe('a child only narrows', () => {
  test('subset agrees with the sets of what each grant allows', () => {
    fc.assert(fc.property(grants, grants, (child, parent) => {
      expect(isSubset(child, parent)).toBe(within(allowed(child), allowed(parent)));
    }), { numRuns: 5000 });
  });

  test('subset agrees in one dimension at a time, where hits are not rare', () => {
    fc.assert(fc.property(grants, grants, fc.constantFrom<keyof Grant>('tools', 'fs', 'net', 'secrets', 'budgets', 'not_before', 'expires_at'), (a, b, dimension) => {
      const child: Grant = { ...b, [dimension]: a[dimension] };
      expect(isSubset(child, b)).toBe(within(allowed(child), allowed(b)));
    }), { numRuns: 5000 });
  });

  test('a child that attenuation makes, at any depth, is a subset of every ancestor', () => {
    const base = { v: 1 as const, tenant_id: 'ten_a', agent_id: 'agt_a', parent_id: null, workspace_id: null, issuer: 'k', created_at: 0, revoked_at: null };
    const requests = fc.array(fc.record({ tools: grants.map((g) => g.tools), fs: grants.map((g) => g.fs), net: grants.map((g) => g.net), budgets }, { requiredKeys: [] }), { maxLength: 4 });
    fc.assert(fc.property(grants, requests, (grant, asks) => {
      const line = [grant];
      for (const ask of asks) {
        const verdict = attenuate({ ...base, capability_token_id: 'cap_p', grant: line.at(-1) ?? grant }, ask);
        if (verdict.effect === 'allow') line.push(verdict.child.grant);
      }
      const last = allowed(line.at(-1) ?? grant);
      for (const ancestor of line) expect(within(last, allowed(ancestor))).toBe(true);
    }), { numRuns: 1000 });
  });
});
