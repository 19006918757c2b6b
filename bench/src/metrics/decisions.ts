// SPDX-License-Identifier: Apache-2.0
import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { FS_WRITE, type AutonomyMode, type ToolDefinition } from '@writ/contract';
import { compilePolicySet, decidePolicy, type PolicyRequest } from '@writ/policy';
import { measure, type Load, type Metric } from '../measure.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const TOOL = (n: number): string => `bench.tool_${n}`;
const tools = (count: number): ToolDefinition[] =>
  Array.from({ length: count }, (_, n) => ({ ...FS_WRITE, tool_id: TOOL(n) }));

/** Four rules on one tool: who may, when a job may, and two that forbid. */
const toolRules = (n: number): string[] => [
  `@id("tool-${n}.a") permit (principal, action == Action::"${TOOL(n)}", resource) when { context.session_mode == "interactive" && context.risk_milli < 900 };`,
  `@id("tool-${n}.b") permit (principal, action == Action::"${TOOL(n)}", resource) when { context.session_mode == "scheduled" && context.job_lists_tool };`,
  `@id("tool-${n}.c") forbid (principal, action == Action::"${TOOL(n)}", resource) when { context.labels.contains("untrusted_content") && context.supervision == "autopilot" };`,
  `@id("tool-${n}.d") forbid (principal, action == Action::"${TOOL(n)}", resource) when { context.task_class == "class-${n}" && context.risk_milli > 300 };`,
];

/**
 * A rule on every tool. Of each five, one tests paths, one labels, one the session, one permits by group, and one
 * forbids frozen agents.
 */
const generalRule = (n: number): string =>
  `@id("general-${n}") ${
    [
      `forbid (principal, action, resource) when { context.labels.contains("frozen-${n}") };`,
      `permit (principal, action in Action::"write", resource) when { context.session_mode == "interactive" && context.supervision == "escalated" };`,
      `forbid (principal, action, resource) when { resource is File && resource.path like "secret-${n}/*" && resource.access == "write" };`,
      `forbid (principal, action, resource) when { context.task_class == "task-${n}" && context.supervision == "autopilot" };`,
      `permit (principal == Agent::"agt_${n}", action in Action::"admin", resource) when { context.supervision != "autopilot" };`,
    ][n % 5]
  }`;

/**
 * That many rules: of each five, one on every tool and four on one tool. So 100 rules are 20 on all tools and 4 on each
 * of 20 tools. A single rule is on all tools.
 */
function rulesOf(count: number): { readonly cedar: string; readonly tools: readonly ToolDefinition[] } {
  if (count === 1)
    return {
      cedar:
        '@id("one") permit (principal, action, resource) when { context.session_mode == "interactive" && !context.labels.contains("frozen-0") };',
      tools: tools(1),
    };
  const fifth = count / 5;
  const rules = Array.from({ length: fifth }, (_, n) => [generalRule(n), ...toolRules(n)]).flat();
  return { cedar: rules.join('\n'), tools: tools(fifth) };
}

/** The same rules without scope constraints, so that none can be skipped before Cedar evaluates them. */
const hideDemands = (cedar: string): string =>
  cedar
    .replaceAll('when { ', 'when { context.risk_milli >= 0 && ')
    .replaceAll(/principal == Agent::("\w+")(.*)\};/g, 'principal$2 && principal == Agent::$1 };');

const ASK: PolicyRequest = {
  agent_id: 'agt_bench',
  delegated_by: [],
  workspace_id: 'wsp_bench',
  tool_id: TOOL(0),
  category: 'write',
  tool_class: 'inline',
  resources: [{ kind: 'fs', access: 'write', path: 'src/index.ts' }],
  risk_milli: 50,
  risk_ceiling: 'none',
  task_class: 'general',
  labels: [],
  session_mode: 'interactive',
  job_lists_tool: false,
  staged_change: false,
  max_autonomy: null,
};

/**
 * One whole decision under that many rules, over their tools in turn: allowed by the first evaluation, or refused after
 * an evaluation for each of the three supervisions.
 */
export function decisions(count: number, answer: 'allowed' | 'refused', load: Load, hidden = false): Promise<Measured> {
  const { cedar, tools: known } = rulesOf(count);
  const set = compilePolicySet({ v: 1, name: 'bench', cedar: hidden ? hideDemands(cedar) : cedar }, known);
  // Nothing permits in a gateway session, which only an evaluation for each supervision shows.
  const session_mode = answer === 'refused' ? 'gateway' : 'interactive';
  const expected: AutonomyMode = answer === 'refused' ? 'no_go' : 'autopilot';
  let turn = 0;
  return measure(load, () => {
    const { mode, errors } = decidePolicy(set, { ...ASK, session_mode, tool_id: TOOL(turn++ % known.length) });
    if (mode !== expected || errors.length > 0) throw new Error(`decided ${mode}, not ${expected}: ${errors.join()}`);
    return Promise.resolve();
  });
}

/**
 * The same request, evaluated once by Cedar's stateless call: all rules as text, every attribute, nothing cached
 * between calls.
 */
export function cedarRaw(count: number, load: Load): Promise<Measured> {
  const { cedar } = rulesOf(count);
  const action = { type: 'Action', id: TOOL(0) };
  const workspace = { type: 'Workspace', id: ASK.workspace_id };
  const file = { type: 'File', id: 'src/index.ts' };
  const { risk_milli, risk_ceiling, task_class, tool_class, session_mode, job_lists_tool, staged_change } = ASK;
  return measure(load, () => {
    const answer = isAuthorized({
      principal: { type: 'Agent', id: ASK.agent_id },
      action,
      resource: file,
      context: {
        risk_milli,
        risk_ceiling,
        task_class,
        tool_class,
        session_mode,
        job_lists_tool,
        staged_change,
        labels: [],
        history_broken: [],
        supervision: 'autopilot',
        risk_level: 'autopilot',
      },
      policies: { staticPolicies: cedar },
      entities: [
        { uid: action, attrs: {}, parents: [{ type: 'Action', id: 'write' }] },
        { uid: file, attrs: { path: 'src/index.ts', access: 'write' }, parents: [workspace] },
        { uid: workspace, attrs: {}, parents: [] },
      ],
    });
    if (answer.type !== 'success' || answer.response.decision !== 'allow')
      throw new Error(`cedar answered ${JSON.stringify(answer)}`);
    return Promise.resolve();
  });
}
