// SPDX-License-Identifier: Apache-2.0
import { StepError } from '../run/step-error.ts';
import { listed } from './lines.ts';

interface Version {
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
  readonly build: string;
}

/** Parses a semantic version (semver.org 2.0.0), with one to four numbers and an optional `v` before them. */
function parseVersion(source: string): Version {
  const [, numbers, before = '', build = ''] =
    /^\s*v?([0-9]{1,18}(?:\.[0-9]{1,18}){0,3})(?:-([0-9A-Za-z.-]{1,100}))?(?:\+([0-9A-Za-z.-]{1,100}))?\s*$/i.exec(
      source,
    ) ?? [];
  if (numbers === undefined) throw new StepError(`\`${source.slice(0, 64)}\` is no version`);
  return { numbers: numbers.split('.').map(BigInt), before: before === '' ? [] : before.split('.'), build };
}

const sign = <Value extends bigint | number | string>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);

/** -1, 0 or 1. A missing number is 0; a pre-release is older than its release; build metadata is ignored. */
export function compareVersions(one: string, two: string): number {
  const [a, b] = [parseVersion(one), parseVersion(two)];
  for (let n = 0; n < 4; n++) {
    const by = sign(a.numbers[n] ?? 0n, b.numbers[n] ?? 0n);
    if (by !== 0) return by;
  }
  if (a.before.length === 0 || b.before.length === 0)
    return sign(Number(a.before.length === 0), Number(b.before.length === 0));
  for (let n = 0; n < Math.max(a.before.length, b.before.length); n++) {
    const by = compareIdentifiers(a.before[n], b.before[n]);
    if (by !== 0) return by;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return sign(Number(a !== undefined), Number(b !== undefined));
  const [isNumber, isOther] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumber && isOther) return sign(BigInt(a), BigInt(b));
  return isNumber === isOther ? sign(a, b) : isNumber ? -1 : 1;
}

export function describeVersion(source: string): string {
  const { numbers, before, build } = parseVersion(source);
  const [major = 0n, minor = 0n, patch = 0n, revision] = numbers;
  return listed([
    `major: ${major}`,
    `minor: ${minor}`,
    `patch: ${patch}`,
    ...(revision === undefined ? [] : [`revision: ${revision}`]),
    ...(before.length === 0 ? [] : [`prerelease: ${before.join('.')}`]),
    ...(build === '' ? [] : [`build: ${build}`]),
  ]);
}
