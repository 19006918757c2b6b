// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { nanosOf } from './quantity.ts';

const NANOS = 10n ** 9n;

/** Every suffix of Kubernetes' `resource.Quantity`, with its unit in billionths. */
const SUFFIXES: readonly (readonly [suffix: string, nanos: bigint])[] = [
  ['n', 1n],
  ['u', 10n ** 3n],
  ['m', 10n ** 6n],
  ['', NANOS],
  ['k', NANOS * 10n ** 3n],
  ['M', NANOS * 10n ** 6n],
  ['G', NANOS * 10n ** 9n],
  ['T', NANOS * 10n ** 12n],
  ['P', NANOS * 10n ** 15n],
  ['E', NANOS * 10n ** 18n],
  ['Ki', NANOS * 2n ** 10n],
  ['Mi', NANOS * 2n ** 20n],
  ['Gi', NANOS * 2n ** 30n],
  ['Ti', NANOS * 2n ** 40n],
  ['Pi', NANOS * 2n ** 50n],
  ['Ei', NANOS * 2n ** 60n],
];
const Suffix = fc.constantFrom(...SUFFIXES);
/** Up to the largest value that Kubernetes supports. */
const Amount = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

test('a whole number with any suffix of Kubernetes amounts to the number times the suffix', () => {
  fc.assert(
    fc.property(Amount, Suffix, (amount, [suffix, nanos]) => {
      expect(nanosOf(`${amount}${suffix}`)).toBe(amount * nanos);
      expect(nanosOf(`+${amount}${suffix}`)).toBe(amount * nanos);
      expect(nanosOf(`-${amount}${suffix}`)).toBe(-amount * nanos);
    }),
  );
});

test('an exponent shifts the number by powers of ten, as a decimal suffix does', () => {
  fc.assert(
    fc.property(Amount, fc.integer({ min: 0, max: 18 }), fc.constantFrom('e', 'E', 'e+'), (amount, by, letter) => {
      expect(nanosOf(`${amount}${letter}${by}`)).toBe(amount * 10n ** BigInt(by) * NANOS);
    }),
  );
  expect(nanosOf('1e-3')).toBe(nanosOf('1m'));
  expect(nanosOf('1E')).toBe(nanosOf('1000P'));
});

test('equal amounts are equal in every notation', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.integer({ min: 0, max: 4 }), (amount, step) => {
      const [smaller, larger] = [
        ['Mi', 'Gi', 'Ti', 'Pi', 'Ei'],
        ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'],
      ];
      expect(nanosOf(`${amount}${smaller[step]!}`)).toBe(nanosOf(`${amount * 1024n}${larger[step]!}`));
      expect(nanosOf(`${amount * 1000n}m`)).toBe(nanosOf(`${amount}`));
      expect(nanosOf(`${amount}.500`)).toBe(nanosOf(`${amount * 10n + 5n}e-1`));
    }),
  );
  expect(nanosOf('0.5Ti')).toBe(nanosOf('512Gi'));
  expect(nanosOf('.5')).toBe(nanosOf('500m'));
  expect(nanosOf('5.')).toBe(nanosOf(5));
});

test('different amounts are never equal', () => {
  fc.assert(
    fc.property(Amount, Amount, Suffix, Suffix, (one, other, [suffix, nanos], [otherSuffix, otherNanos]) => {
      const isSame = one * nanos === other * otherNanos;
      expect(nanosOf(`${one}${suffix}`) === nanosOf(`${other}${otherSuffix}`)).toBe(isSame);
    }),
  );
});

test('less than a billionth is rounded up to one', () => {
  expect(nanosOf('0.1n')).toBe(1n);
  expect(nanosOf('1.0000000001')).toBe(NANOS + 1n);
});

const NOT_QUANTITIES = ['', '.', '+', 'Ki', 'much', '1 Gi', '1K', '1mi', '1ki', '1e', '1e3Ki', '0x10', '1,5', '--1'];

test.each([...NOT_QUANTITIES, null, true, {}])('the value `%s` is no quantity', (value) => {
  expect(nanosOf(value)).toBeNull();
});

test('a quantity of any length is parsed in bounded time', () => {
  expect(nanosOf(`1${'0'.repeat(1_000_000)}`)).toBeNull();
  expect(nanosOf('1e999999999')).toBeNull();
});
