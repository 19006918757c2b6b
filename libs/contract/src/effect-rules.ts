// SPDX-License-Identifier: Apache-2.0

/** The rules on effects, in the order in which their findings are shown. */
export const EFFECT_RULES = [
  'effect.emptied_workspace',
  'effect.lost_many',
  'effect.lost_series',
  'effect.history',
  'effect.binary_over_text',
  'effect.renamed_many',
  'effect.runs_later',
  'effect.read_wrote',
] as const;
export type EffectRule = (typeof EFFECT_RULES)[number];

/** The rules whose findings a token's issuer may permit in advance. Emptying a workspace can't be permitted. */
export const PERMITTED_EFFECTS = EFFECT_RULES.filter(
  (rule): rule is Exclude<EffectRule, 'effect.emptied_workspace'> => rule !== 'effect.emptied_workspace',
);
