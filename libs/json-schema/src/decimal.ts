// SPDX-License-Identifier: Apache-2.0

/** A finite number as `digits × 10^exponent`, exactly as JSON spells it. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(power) - fraction.length };
}

/**
 * Answers whether the value is a multiple of the divisor as both are written: 19.99 is one of 0.01, though their binary
 * quotient is no integer. At most some 700 digits are divided.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  const [of, by] = [decimalOf(value), decimalOf(divisor)];
  const exponent = Math.min(of.exponent, by.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(of) % scaled(by) === 0n;
}
