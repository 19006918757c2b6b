// SPDX-License-Identifier: Apache-2.0
//
// Arrays as parameters in Postgres' binary format (array_recv in src/backend/utils/adt/arrayfuncs.c of its source). The
// driver writes an array as a text, with bytes in hexadecimal, which both sides then read character by character; it
// sends a Buffer as it is, in the binary format.

/** Types of elements, by their number in pg_type. */
const BYTEA = 17;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const TEXT = 25;

/** Dimensions, flag for NULLs, type of element, length, lower bound. */
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** A parameter of type text[]. */
export function textArray(values: readonly (string | null)[]): Buffer {
  return binaryArray(
    TEXT,
    values,
    (value) => Buffer.byteLength(value, 'utf8'),
    (value, into, at) => into.write(value, at, 'utf8'),
  );
}

/** A parameter of type bytea[]. */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  return binaryArray(
    BYTEA,
    values,
    (value) => value.length,
    (value, into, at) => {
      into.set(value, at);
    },
  );
}

/** A parameter of type bigint[]. Throws RangeError for what a number doesn't hold exactly. */
export function int8Array(values: readonly (number | null)[]): Buffer {
  return binaryArray(
    INT8,
    values,
    () => 8,
    (value, into, at) => {
      if (!Number.isSafeInteger(value)) throw new RangeError(`\`${value}\` is not a safe integer`);
      into.writeBigInt64BE(BigInt(value), at);
    },
  );
}

/** A parameter of type smallint[]. Throws RangeError beyond 16 bits. */
export function int2Array(values: readonly (number | null)[]): Buffer {
  return binaryArray(
    INT2,
    values,
    () => 2,
    (value, into, at) => into.writeInt16BE(value, at),
  );
}

/** A parameter of type integer[]. Throws RangeError beyond 32 bits. */
export function int4Array(values: readonly (number | null)[]): Buffer {
  return binaryArray(
    INT4,
    values,
    () => 4,
    (value, into, at) => into.writeInt32BE(value, at),
  );
}

/** One dimension with lower bound 1. An empty array has no dimension. */
function binaryArray<T>(
  type: number,
  values: readonly (T | null)[],
  bytesOf: (value: T) => number,
  write: (value: T, into: Buffer, at: number) => unknown,
): Buffer {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : bytesOf(value)));
  const isEmpty = values.length === 0;
  const size = lengths.reduce(
    (sum, length) => sum + LENGTH_BYTES + Math.max(0, length),
    isEmpty ? HEAD_BYTES - 8 : HEAD_BYTES,
  );
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(isEmpty ? 0 : 1, 0);
  bytes.writeInt32BE(lengths.includes(NULL_LENGTH) ? 1 : 0, 4);
  bytes.writeInt32BE(type, 8);
  if (isEmpty) return bytes;
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEAD_BYTES;
  values.forEach((value, i) => {
    const length = lengths[i] ?? NULL_LENGTH;
    bytes.writeInt32BE(length, at);
    at += LENGTH_BYTES;
    if (value === null) return;
    write(value, bytes, at);
    at += length;
  });
  return bytes;
}
