// SPDX-License-Identifier: Apache-2.0

/**
 * A quantity in Kubernetes' notation: a decimal number with a binary suffix, a decimal suffix, or an exponent. The
 * digits are bounded, since a pod that another process made may contain any text. Kubernetes' largest quantity has
 * nineteen.
 */
const QUANTITY = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Powers of ten. */
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** Kubernetes stores nothing smaller than 10^-9 and rounds up to it. */
const NANO_DIGITS = 9;

/** The value of a quantity, in billionths; null where the text isn't a quantity. */
export function nanosOf(value: unknown): bigint | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const match = QUANTITY.exec(String(value));
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', binary, decimal, exponent] = match;
  if (whole + fraction === '') return null;
  const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY.indexOf(binary) + 1);
  const power = decimal === undefined ? Number(exponent ?? 0) : (DECIMAL[decimal] ?? NaN);
  const nanos = scaled(BigInt(whole + fraction) * factor, NANO_DIGITS - fraction.length + power);
  return sign === '-' ? -nanos : nanos;
}

/** `amount` times a power of ten, rounded up. */
function scaled(amount: bigint, power: number): bigint {
  if (power >= 0) return amount * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (amount + divisor - 1n) / divisor;
}
