// SPDX-License-Identifier: Apache-2.0
// The canary: breaks every rule of the house once and fails unless the rule speaks. A rule that is skipped, misspelt or
// out-voted by another configuration is found here and nowhere else.
import { brokenLintRules } from './lint-rules.ts';
import { brokenModuleRules } from './module-rules.ts';

const silent = [...(await brokenLintRules()), ...(await brokenModuleRules())].filter((result) => !result.fired);
for (const { rule, what } of silent) console.error(`silent: ${rule} said nothing to ${what}`);
console.log(silent.length === 0 ? 'every rule of the house fires' : `${silent.length} rules are silent`);
process.exitCode = silent.length === 0 ? 0 : 1;
