// SPDX-License-Identifier: Apache-2.0
import { DIMENSIONS, type Dimension, type RiskRule } from './rules/rule.ts';

/** The points that one rule adds to one dimension. */
export interface Contribution {
  /** the id of the rule */
  readonly rule: string;
  readonly dimension: Dimension;
  /** thousandths of the remaining safety that it removes */
  readonly points: number;
}

export const contributionsOf = ({ id, points }: RiskRule): readonly Contribution[] =>
  DIMENSIONS.flatMap((dimension) =>
    points[dimension] === undefined ? [] : [{ rule: id, dimension, points: points[dimension] }],
  );

/**
 * 1 − Π(1 − p), three decimals: each removes its part of the remaining safety, so the sum never exceeds 1 and the order
 * doesn't matter.
 */
export function scoreOf(points: readonly number[]): number {
  // Sorted, since products of floating-point numbers depend on their order in the last digit.
  const safe = [...points].sort((a, b) => a - b).reduce((left, each) => left * (1 - each / 1000), 1);
  return Math.round((1 - safe) * 1000) / 1000;
}

/** The score of each dimension by itself. */
export function dimensionScores(contributions: readonly Contribution[]): Readonly<Record<Dimension, number>> {
  const of = (dimension: Dimension): number =>
    scoreOf(contributions.filter((one) => one.dimension === dimension).map(({ points }) => points));
  return {
    reversibility: of('reversibility'),
    blast_radius: of('blast_radius'),
    ambiguity: of('ambiguity'),
    policy_sensitivity: of('policy_sensitivity'),
  };
}
