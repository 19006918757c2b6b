// SPDX-License-Identifier: Apache-2.0
import { StepError } from '../run/step-error.ts';

/** A GUID of version 4 (RFC 9562 §5.4) of 16 random bytes. */
export function guid(random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Every number from `min` to `max` with equal probability: values that would bias the result are drawn again. */
export function randomInteger(min: number, max: number, bytes: (count: number) => Uint8Array): number {
  if (min > max) throw new StepError(`there is no number from ${min} to ${max}`);
  const span = max - min + 1;
  const fair = Math.floor(0x1_0000_0000 / span) * span;
  for (;;) {
    const drawn = Buffer.from(bytes(4)).readUInt32BE(0);
    if (drawn < fair) return min + (drawn % span);
  }
}

/** Digits of the longest useful number. */
const DIGITS_MAX = 1000;

/**
 * Converts a whole number from one base to another.
 * @throws StepError
 */
export function convertBase(value: string, from: number, to: number): string {
  const [, sign = '', digits = ''] = /^\s*([+-]?)([0-9a-z]+)\s*$/i.exec(value.replaceAll('_', '')) ?? [];
  if (digits === '' || digits.length > DIGITS_MAX)
    throw new StepError(`the value must be of 1 to ${DIGITS_MAX} digits`);
  let number = 0n;
  for (const digit of digits.toLowerCase()) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= from) throw new StepError(`\`${digit}\` is no digit of base ${from}`);
    number = number * BigInt(from) + BigInt(worth);
  }
  return `${sign === '-' && number !== 0n ? '-' : ''}${number.toString(to)}`;
}
