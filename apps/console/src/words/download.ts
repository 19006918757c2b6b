// SPDX-License-Identifier: Apache-2.0

/** The texts of downloads. */
export const download = {
  stop: 'Stop the download',
  running: (bytes: number) => (bytes === 0 ? 'Beginning …' : `${sizeOf(bytes)} so far`),
} as const;

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

function sizeOf(bytes: number): string {
  let [size, unit] = [bytes / 1_000, 0];
  while (size >= 1_000 && unit < UNITS.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
