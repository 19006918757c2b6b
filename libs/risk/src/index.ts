// SPDX-License-Identifier: Apache-2.0
export { ACT_KINDS, type Act, type ActKind } from './act.ts';
export { assessRisk, RISK_RULES, type Risk, type RiskInput } from './assess-risk.ts';
export { readCommand, type Command } from './read-command.ts';
export type { Ceiling, Dimension, RiskRule } from './rules/rule.ts';
export { loadShellGrammar, ShellGrammar, type ShellGrammarBytes } from './shell/grammar.ts';
export { ZONES, type Zone } from './zones.ts';
