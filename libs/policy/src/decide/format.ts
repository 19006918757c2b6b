// SPDX-License-Identifier: Apache-2.0
import type { Approvers } from '../policy-request.ts';

const SPANS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
  [1, 'millisecond'],
] as const;

/** A duration in the largest unit that gives a whole number: `90 minutes`, `1 day`. */
export function spanOf(ms: number): string {
  const [size, unit] = SPANS.find(([length]) => ms % length === 0) as (typeof SPANS)[number];
  return ms === size ? `1 ${unit}` : `${ms / size} ${unit}s`;
}

/** Who has to approve, in words. */
export function approvalWords({ count, role, groups = [] }: Approvers): string {
  const words = role === 'admin' ? ['an administrator', 'administrators'] : ['a person', 'people'];
  const who = count === 1 ? `${words[0]} approves it` : `${count} ${words[1]} approve it`;
  const demands = groups.map(
    ({ any_of, count: least }) => `${least} of ${any_of.map((name) => `\`${name}\``).join(' or ')}`,
  );
  return demands.length === 0 ? who : `${who}, ${demands.join(' and ')}`;
}
