// SPDX-License-Identifier: Apache-2.0
// The canary: violates every rule once, and fails unless each rule reports it. It finds rules that are skipped,
// misspelt, or overridden by another configuration.
import { brokenLintRules } from './lint-rules.ts';
import { brokenModuleRules } from './module-rules.ts';

const silent = [...(await brokenLintRules()), ...(await brokenModuleRules())].filter((result) => !result.fired);
for (const { rule, what } of silent) console.error(`silent: ${rule} said nothing to ${what}`);
console.log(silent.length === 0 ? 'every rule of the house fires' : `${silent.length} rules are silent`);
process.exitCode = silent.length === 0 ? 0 : 1;
