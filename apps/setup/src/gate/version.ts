// SPDX-License-Identifier: Apache-2.0
import semver from 'semver';

/** Null where it is no version; `v1.2.3`, which the library reads too, is none. */
const parse = (text: string): semver.SemVer | null => (/^\d/.test(text) ? semver.parse(text) : null);

/**
 * Compares two versions as Semantic Versioning 2 orders them: below zero where the first is older. What is no version
 * is older than every version, and so is a process that says none.
 */
export function compareVersions(a: string, b: string): number {
  const [va, vb] = [parse(a), parse(b)];
  return va === null || vb === null ? Number(va !== null) - Number(vb !== null) : semver.compare(va, vb);
}
