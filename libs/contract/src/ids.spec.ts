// SPDX-License-Identifier: Apache-2.0
import { formatId, ID_KINDS, isId, logIdOf, tenantIdOf, type IdKind } from './ids.ts';

describe('identifiers', () => {
  it("write sixteen bytes in Crockford's base32, in their order", () => {
    expect(formatId('operation', new Uint8Array(16))).toBe('op_00000000000000000000000000');
    expect(formatId('operation', new Uint8Array(16).fill(255))).toBe('op_7zzzzzzzzzzzzzzzzzzzzzzzzz');
    const [a, b] = [new Uint8Array(16), new Uint8Array(16)];
    a.set([1, 0], 0);
    b.set([1, 1], 0);
    expect(formatId('tenant', a) < formatId('tenant', b)).toBe(true);
    expect(() => formatId('tenant', new Uint8Array(15))).toThrow('16 bytes');
  });

  it('have exactly one kind', () => {
    for (const kind of Object.keys(ID_KINDS) as IdKind[]) {
      const id = formatId(kind, new Uint8Array(16).fill(7));
      expect(Object.keys(ID_KINDS).filter((other) => isId(other as IdKind, id))).toEqual([kind]);
    }
    for (const text of [
      '',
      'op_',
      'op_80000000000000000000000000',
      'op_0000000000000000000000000i',
      'OP_00000000000000000000000000',
      'op_00000000000000000000000000\n',
      5,
      null,
    ]) {
      expect(isId('operation', text)).toBe(false);
    }
  });

  it('convert a tenant to its log and back', () => {
    const tenant = formatId('tenant', new Uint8Array(16).fill(9));
    expect(isId('log', logIdOf(tenant))).toBe(true);
    expect(tenantIdOf(logIdOf(tenant))).toBe(tenant);
  });
});
