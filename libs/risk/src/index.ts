// SPDX-License-Identifier: Apache-2.0
export { ACT_KINDS, type Act, type ActKind } from './act.ts';
export { assessRisk, type Risk, type RiskInput } from './assess-risk.ts';
export { loadCommandGrammar, type GrammarModules } from './command-grammar.ts';
export type { RiskHistory } from './history.ts';
export { placeSecrets, type Placed } from './placing/place-secrets.ts';
export { readCommand, type Command, type CommandReading } from './read-command.ts';
export { DESTRUCTIVE_RULE_IDS, destroysAnything } from './rules/destructive-rules.ts';
export { parseRiskRules, RiskRulesError } from './rules/parse-rules.ts';
export { RISK_RULES } from './rules/risk-rules.ts';
export { CEILINGS, DIMENSIONS, FLOW_LABELS, RiskRule, RiskRules, type Ceiling, type Dimension } from './rules/rule.ts';
export type { Contribution } from './score.ts';
export { COMMAND_BUDGET, type ShellBudget } from './shell/budget.ts';
export { loadShellGrammar, ShellGrammar, type CarriedLanguages, type ShellGrammarBytes } from './shell/grammar.ts';
export type { SqlParser } from './sql/parser.ts';
export { ZONES, type Zone } from './zones.ts';
