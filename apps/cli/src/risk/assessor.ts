// SPDX-License-Identifier: Apache-2.0
// Everything below runs without a connection: neither this file nor its imports use a network.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SHELL_RUN, type AutonomyMode, type ToolCategory } from '@writ/contract';
import { compilePolicySet, decidePolicy, DEFAULT_POLICY, type PolicyDecision } from '@writ/policy';
import { assessRisk, loadCommandGrammar, type Risk } from '@writ/risk';

/** The assessment of a command; its names are those of a tool call and its record. */
export interface Assessment {
  readonly risk_score: number;
  readonly risk_basis: readonly string[];
  readonly category: ToolCategory;
  readonly autonomy_mode: AutonomyMode;
}

/** An assessment with its causes. */
export interface Explained {
  readonly assessment: Assessment;
  readonly risk: Risk;
  readonly decision: PolicyDecision;
}

/** The causes of the four fields: dimensions, contributions, and the policy's rules and messages. */
export function detailsOf({ risk, decision }: Explained) {
  return {
    dimensions: risk.dimensions,
    contributions: risk.contributions,
    rule_ids: decision.rule_ids,
    would_pass: decision.would_pass,
    reasons: [...new Map([...risk.reasons, ...decision.reasons].map((reason) => [reason.code, reason])).values()],
  };
}

export type Assessor = (command: string, cwd?: string) => Explained;

const { resolve } = createRequire(import.meta.url);
const bytesOf = (module: string): Uint8Array => new Uint8Array(readFileSync(resolve(module)));

/**
 * Loads the grammar and the default policy once. The returned function assesses commands of `shell.run` as a kernel
 * would at the start of a session. The session is interactive, and the caller's category is write.
 */
export async function loadAssessor(): Promise<Assessor> {
  const grammar = await loadCommandGrammar({ bytes: bytesOf, load: createRequire(import.meta.url) });
  const policy = compilePolicySet(DEFAULT_POLICY);
  return (command, cwd) => {
    const args = { command, ...(cwd === undefined ? {} : { cwd }) };
    const risk = assessRisk({ tool: SHELL_RUN, args, resources: [] }, grammar);
    const decision = decidePolicy(policy, {
      agent_id: 'agt_any',
      delegated_by: [],
      workspace_id: 'wsp_any',
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
    // A command that a rule failed to evaluate is refused.
    const autonomy_mode = decision.errors.length > 0 ? 'no_go' : decision.mode;
    return {
      assessment: { risk_score: risk.risk_score, risk_basis: risk.risk_basis, category: risk.category, autonomy_mode },
      risk,
      decision,
    };
  };
}
