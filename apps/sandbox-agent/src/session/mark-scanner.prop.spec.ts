// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { MarkScanner } from './mark-scanner.ts';

const NONCE = 'abc';
const mark = (status: number | string, kind = 'W'): string => `\x1b]133;${kind};${NONCE};${status}\x07`;
const piece = fc.oneof(
  fc.string(),
  fc.constantFrom('\x1b', '\x1b]133;', '\x1b]133;W;', '\x1b]133;D;abc', mark('x'), mark(999), mark('12345'), '\x07'),
  fc.tuple(fc.integer({ min: 0, max: 255 }), fc.constantFrom('D', 'W')).map(([status, kind]) => mark(status, kind)),
);

test('marks are found however the stream is split, and all other bytes are passed on in order', () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(40), { minLength: 1 }), (pieces, cuts) => {
      const bytes = Buffer.from([...pieces, 'the end, longer than any mark can be'].join(''));
      const scan = (chunks: Buffer[]): string[] => {
        const scanner = new MarkScanner(NONCE);
        const found: string[] = [];
        for (const part of chunks.flatMap((chunk) =>
          [...scanner.push(chunk)].map((each) =>
            'kind' in each ? `#${each.kind}${each.status}` : `=${each.toString('latin1')}`,
          ),
        )) {
          if (part.startsWith('#') || found.at(-1)?.startsWith('=') !== true) found.push(part);
          else found.push(`${found.pop() ?? ''}${part.slice(1)}`);
        }
        return found;
      };
      const chunks: Buffer[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++)
        chunks.push(bytes.subarray(at, (at += 1 + (cuts[i % cuts.length] ?? 0))));
      expect(scan(chunks)).toEqual(scan([bytes]));
      expect(scan([bytes]).filter((part) => part.startsWith('#'))).toEqual(
        [...bytes.toString('latin1').matchAll(/\x1b\]133;([DW]);abc;(25[0-5]|2[0-4]\d|[01]?\d?\d)\x07/g)].map(
          ([, kind, status]) => `#${kind}${Number(status)}`,
        ),
      );
      const plain = scan([bytes])
        .filter((part) => part.startsWith('='))
        .map((part) => part.slice(1))
        .join('');
      const expected = bytes.toString('latin1').replaceAll(/\x1b\]133;[DW];abc;(25[0-5]|2[0-4]\d|[01]?\d?\d)\x07/g, '');
      expect(plain).toBe(expected);
    }),
  );
});
