// SPDX-License-Identifier: Apache-2.0

/** A number with its noun. */
export const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
