// SPDX-License-Identifier: Apache-2.0

/** A file of this many bytes fills a workspace: 10 GiB. */
const HUGE = 10 * 2 ** 30;
const UNITS = 'KMGTPEZY';

/**
 * Answers whether a size for `head`, `truncate` and `fallocate` (`100G`, `20GB`, `5GiB`, `99999999999`) is more than
 * any test needs.
 */
export function isHuge(size: string): boolean {
  const [, count = '', unit = ''] = /^[-+<>]?(\d+(?:\.\d+)?)\s*([KMGTPEZY])?(?:i?B)?$/i.exec(size) ?? [];
  return count !== '' && Number(count) * 1024 ** (unit === '' ? 0 : UNITS.indexOf(unit.toUpperCase()) + 1) >= HUGE;
}
