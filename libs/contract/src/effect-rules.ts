// SPDX-License-Identifier: Apache-2.0

/** The rules on effects, in the order in which a person reads their findings. */
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

/** Those whose findings the issuer of a token may permit beforehand. Nobody permits that a workspace is emptied. */
export const PERMITTED_EFFECTS = EFFECT_RULES.filter(
  (rule): rule is Exclude<EffectRule, 'effect.emptied_workspace'> => rule !== 'effect.emptied_workspace',
);
