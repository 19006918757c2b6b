// SPDX-License-Identifier: Apache-2.0

const MILLIONTHS = 1_000_000;

/** A cost of millionths of a currency, as `0.0123 USD`. Small costs don't become nothing. */
export function costText(cost: number, currency: string | null): string {
  const amount = (cost / MILLIONTHS).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
  return currency === null ? amount : `${amount} ${currency}`;
}
