// SPDX-License-Identifier: Apache-2.0

/** `1.2.3`, `1.2.3-rc.1`; what follows a `+` says nothing about the order. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/;

interface Version {
  readonly numbers: readonly number[];
  /** Empty: the release itself, which is newer than what led to it. */
  readonly stage: readonly string[];
}

function parse(text: string): Version | null {
  const [, major, minor, patch, stage] = VERSION.exec(text) ?? [];
  if (major === undefined) return null;
  return { numbers: [major, minor, patch].map(Number), stage: stage === undefined ? [] : stage.split('.') };
}

/** Numbers by their size and before words, words by their letters. */
function compareWords(a: string, b: string): number {
  const [na, nb] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (na && nb) return Number(a) - Number(b);
  if (na !== nb) return na ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Compares two versions as Semantic Versioning 2 orders them: below zero where the first is older. What is no version
 * is older than every version, and so is a process that says none.
 */
export function compareVersions(a: string, b: string): number {
  const [va, vb] = [parse(a), parse(b)];
  if (va === null || vb === null) return Number(va !== null) - Number(vb !== null);
  for (const [i, number] of va.numbers.entries()) if (number !== vb.numbers[i]) return number - (vb.numbers[i] ?? 0);
  if (va.stage.length === 0 || vb.stage.length === 0) return vb.stage.length - va.stage.length;
  for (const [i, word] of va.stage.entries()) {
    const other = vb.stage[i];
    const order = other === undefined ? 1 : compareWords(word, other);
    if (order !== 0) return order;
  }
  return va.stage.length - vb.stage.length;
}
