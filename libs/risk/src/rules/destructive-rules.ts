// SPDX-License-Identifier: Apache-2.0
import { DESTROYS } from './destroys.ts';
import { RISK_RULES } from './risk-rules.ts';

const LOSSES: ReadonlySet<string> = new Set(DESTROYS);
const ofLosses = RISK_RULES.filter(({ when }) => when.kinds?.some((kind) => LOSSES.has(kind)) ?? false);
const ids = new Set(ofLosses.map(({ id }) => id));

/**
 * Rules that hold or refuse a call for what it destroys, whatever came before it: calls in whose basis one of them is
 * count as destructive.
 */
export const DESTRUCTIVE_RULE_IDS: readonly string[] = ofLosses
  .filter(({ when, ceiling }) => ceiling !== 'none' && when.history === undefined)
  .map(({ id }) => id);

/**
 * Answers whether a call with the basis destroys anything at all, so that what it adds up to with earlier ones matters.
 */
export const destroysAnything = (basis: readonly string[]): boolean => basis.some((id) => ids.has(id));
