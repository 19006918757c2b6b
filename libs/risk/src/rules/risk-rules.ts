// SPDX-License-Identifier: Apache-2.0
import { CALL_RULES } from './call-rules.ts';
import { FILE_RULES } from './file-rules.ts';
import { LOSS_RULES } from './loss-rules.ts';
import type { RiskRule } from './rule.ts';
import { RUN_RULES } from './run-rules.ts';
import { SECRET_RULES } from './secret-rules.ts';
import { SYSTEM_RULES } from './system-rules.ts';

/** The whole table, in the order of rules in a basis. */
export const RISK_RULES: readonly RiskRule[] = [
  ...CALL_RULES,
  ...FILE_RULES,
  ...SYSTEM_RULES,
  ...SECRET_RULES,
  ...LOSS_RULES,
  ...RUN_RULES,
];
