// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { keyOf } from './mcp-programs.ts';

const text = fc.oneof(fc.constantFrom('a', 'b', 'a b', '\n', ''), fc.string({ maxLength: 6 }));
const owner = fc.record({
  tenantId: text,
  token: text,
  principal: text,
  labelScope: text,
  workspace: text,
  imageDigest: text,
  operationId: text,
  resourceId: text,
  digest: text,
  resourceSecrets: fc.dictionary(fc.constantFrom('A', 'B'), text),
});
type Known = typeof owner extends fc.Arbitrary<infer T> ? T : never;

const key = ({ resourceId, digest, token, principal, labelScope, workspace, ...call }: Known): string =>
  keyOf({ ...call, actsFor: { token, principal, labelScope, workspace } }, { resourceId, digest });
const nobodysKey = ({ resourceId, digest, ...call }: Known): string => keyOf(call, { resourceId, digest });
/** What a process belongs to: everything but the operation that asks. */
const belongs = ({ operationId: _, resourceSecrets: __, ...rest }: Known): string =>
  JSON.stringify(rest, Object.keys(rest).toSorted());

test('whatever differs of two calls, their processes do', () => {
  fc.assert(
    fc.property(owner, owner, (one, other) => {
      const isSame = belongs(one) === belongs(other) && same(one.resourceSecrets, other.resourceSecrets);
      expect(key(one) === key(other)).toBe(isSame);
    }),
  );
});

test('each member of a key decides alone', () => {
  fc.assert(
    fc.property(
      owner,
      fc.constantFrom(
        'tenantId',
        'token',
        'principal',
        'labelScope',
        'workspace',
        'imageDigest',
        'resourceId',
        'digest',
      ),
      text,
      (one, member, value) => {
        fc.pre(one[member] !== value);
        expect(key({ ...one, [member]: value })).not.toBe(key(one));
      },
    ),
  );
});

test('calls for nobody in particular share nothing, and never what somebody has', () => {
  fc.assert(
    fc.property(owner, text, (one, operationId) => {
      fc.pre(one.operationId !== operationId);
      expect(nobodysKey({ ...one, operationId })).not.toBe(nobodysKey(one));
      expect(nobodysKey(one)).not.toBe(key(one));
    }),
  );
});

const same = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value);
