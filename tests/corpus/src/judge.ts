// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SHELL_RUN } from '@writ/contract';
import { compilePolicySet, decidePolicy, DEFAULT_POLICY } from '@writ/policy';
import { assessRisk, loadCommandGrammar, type Risk } from '@writ/risk';

const { resolve } = createRequire(import.meta.url);
const bytesOf = (module: string): Uint8Array => new Uint8Array(readFileSync(resolve(module)));

const grammar = await loadCommandGrammar({ bytes: bytesOf, load: createRequire(import.meta.url) });
const policy = compilePolicySet(DEFAULT_POLICY);

export interface Judged {
  readonly risk: Risk;
  readonly mode: ReturnType<typeof decidePolicy>['mode'];
}

/** The default policy's verdict on a `shell.run` command in an interactive session, evaluated as the kernel does. */
export function judge(command: string): Judged {
  const args = { command };
  const risk = assessRisk({ tool: SHELL_RUN, args, resources: SHELL_RUN.resources(args) }, grammar);
  const { mode, errors } = decidePolicy(policy, {
    agent_id: 'agt_corpus',
    delegated_by: [],
    workspace_id: 'wsp_corpus',
    tool_id: SHELL_RUN.tool_id,
    category: SHELL_RUN.category,
    tool_class: SHELL_RUN.class,
    resources: [],
    risk_milli: Math.round(risk.risk_score * 1000),
    risk_ceiling: risk.ceiling,
    task_class: 'general',
    labels: [],
    session_mode: 'interactive',
    job_lists_tool: false,
    staged_change: false,
    max_autonomy: null,
  });
  if (errors.length > 0) throw new Error(errors.join('; '));
  return { risk, mode };
}
