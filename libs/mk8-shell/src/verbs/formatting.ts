// SPDX-License-Identifier: Apache-2.0

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
const STEP = 1024;

/** `1.00 MB`, in steps of 1024; smaller sizes are whole bytes. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [Math.abs(bytes), 0];
  for (; value >= STEP && unit < UNITS.length - 1; unit++) value /= STEP;
  const words = unit === 0 ? String(value) : value.toFixed(2);
  return `${bytes < 0 ? '-' : ''}${words} ${UNITS[unit] ?? ''}`;
}

/** `1d 1h 1m 1s`, without parts that are zero. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const parts = (
    [
      [86_400, 'd'],
      [3600, 'h'],
      [60, 'm'],
      [1, 's'],
    ] as const
  ).flatMap(([size, unit], n, all) => {
    const count = Math.floor((n === 0 ? whole : whole % (all[n - 1]?.[0] ?? 1)) / size);
    return count === 0 ? [] : [`${count}${unit}`];
  });
  return parts.length === 0 ? '0s' : `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}
