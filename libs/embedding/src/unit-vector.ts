// SPDX-License-Identifier: Apache-2.0

/**
 * Returns the vector at the length 1, as a copy. Null for a vector that has no direction: zero, or with a number that
 * is not finite.
 */
export function unitVector(vector: ArrayLike<number>): Float32Array | null {
  let [largest, sum] = [0, 0];
  for (let n = 0; n < vector.length; n += 1) largest = Math.max(largest, Math.abs(vector[n] ?? 0));
  if (!(largest > 0) || !Number.isFinite(largest)) return null;
  const unit = new Float32Array(vector.length);
  // Scaled first: the squares of very small and very large numbers would not be representable.
  for (let n = 0; n < vector.length; n += 1) sum += ((vector[n] ?? 0) / largest) ** 2;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length)) return null;
  for (let n = 0; n < vector.length; n += 1) unit[n] = (vector[n] ?? 0) / largest / length;
  return unit;
}
