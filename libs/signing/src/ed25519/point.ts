// SPDX-License-Identifier: Apache-2.0

/** Length of an encoded point, in bytes. */
export const POINT_BYTES = 32;

/**
 * The encodings of points of small order on edwards25519, without the sign: y of the points of order 1, 2, 4 and 8, and
 * those with a second encoding beyond p (libsodium refuses the same seven; https://eprint.iacr.org/2020/1244, table 1).
 */
const SMALL_ORDER: readonly Uint8Array[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Uint8Array.from({ length: POINT_BYTES }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)));
/** All but the highest bit of the last byte, which is the sign of x. */
const Y_BITS = 0x7f;

/**
 * Answers whether 32 bytes encode a point of small order, in any encoding. No honest key and no honest R is one: they
 * are multiples of the base point. It runs for each signature, so it usually compares a single byte.
 */
export function isOfSmallOrder(point: Uint8Array): boolean {
  return SMALL_ORDER.some((y) =>
    y.every((byte, i) => byte === (i === POINT_BYTES - 1 ? (point[i] as number) & Y_BITS : point[i])),
  );
}

/** The lowest byte of p = 2^255 − 19, whose others are all ones. */
const P_LOWEST = 0xed;

/**
 * Answers whether the y of 32 bytes is p or more, which RFC 8032 §5.1.3 refuses: nineteen values, some of which some
 * libraries read as y − p.
 */
export function isBeyondP(point: Uint8Array): boolean {
  return (
    (point[0] as number) >= P_LOWEST &&
    point.every((byte, i) => i === 0 || (i === POINT_BYTES - 1 ? (byte & Y_BITS) === Y_BITS : byte === 0xff))
  );
}
