// SPDX-License-Identifier: Apache-2.0
import { DESTROYS } from './destroys.ts';
import { RISK_RULES } from './risk-rules.ts';

const LOSSES: ReadonlySet<string> = new Set(DESTROYS);
const ofLosses = RISK_RULES.filter(({ when }) => when.kinds?.some((kind) => LOSSES.has(kind)) ?? false);
const ids = new Set(ofLosses.map(({ id }) => id));

/**
 * Rules that hold or refuse a call for its destruction, whatever came before it: calls with one of them in their basis
 * count as destructive.
 */
export const DESTRUCTIVE_RULE_IDS: readonly string[] = ofLosses
  .filter(({ when, ceiling }) => ceiling !== 'none' && when.history === undefined)
  .map(({ id }) => id);

/** Answers whether a call with the basis destroys anything, so that it adds to earlier ones. */
export const destroysAnything = (basis: readonly string[]): boolean => basis.some((id) => ids.has(id));
