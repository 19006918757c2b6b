// SPDX-License-Identifier: Apache-2.0
import semver from 'semver';

/** Parses a version; null where the text is none. `v1.2.3`, which the library accepts, is none. */
const parse = (text: string): semver.SemVer | null => (/^\d/.test(text) ? semver.parse(text) : null);

/**
 * Compares two versions in the order of Semantic Versioning 2: below zero where the first is older. A text that is no
 * version, or an empty one, is older than every version.
 */
export function compareVersions(a: string, b: string): number {
  const [va, vb] = [parse(a), parse(b)];
  return va === null || vb === null ? Number(va !== null) - Number(vb !== null) : semver.compare(va, vb);
}
