// SPDX-License-Identifier: Apache-2.0
import { cliDefinition } from '@writ/cli-tool';
import { Fault, TOOLS, type CliParameter, type ToolDefinition } from '@writ/contract';
import { argumentsType, PolicySetError, type PolicySet } from '@writ/policy';
import { InlineTaskRunner } from '@writ/worker-pool';
import { judgingTasks } from '../worker-tasks.ts';
import { CallReader } from './call-reader.ts';
import { PolicyEngine } from './policy-engine.ts';
import type { JudgedAction } from './policy-sets.ts';
import { shellGrammar } from './shell-grammar.ts';

const CEDAR = `@id("all") permit (principal, action, resource);
@id("bounded") @reason("500 at most") forbid (principal, action == Action::"pay", resource)
when { context.args.amount > 500 };`;
const DOCUMENT = { v: 1, name: 'amounts', cedar: CEDAR };

function payTool(type: CliParameter['type']): ToolDefinition {
  return cliDefinition({
    v: 1,
    tool_id: 'pay',
    version: 1,
    description: 'Pays.',
    category: 'read',
    cmd: 'printf',
    args: ['{{amount}}'],
    optional_args: [],
    parameters: { amount: { type }, note: { type: 'string', optional: true } },
    env: [],
    limits: {},
  });
}

let engine: PolicyEngine;
let stored: PolicySet;
const compile = async (tool: ToolDefinition, age: 'new' | 'stored' = 'new'): Promise<PolicySet> => {
  const tools = [...TOOLS.values(), tool].map(({ tool_id, category, parameters }) => ({
    tool_id,
    category,
    args: argumentsType(parameters),
  }));
  // As a thread receives it.
  return await engine.compile('ten_a', structuredClone({ document: DOCUMENT, tools, age }));
};

beforeAll(async () => {
  const work = new InlineTaskRunner(judgingTasks);
  engine = new PolicyEngine(new CallReader(await shellGrammar(), work), work);
  stored = await compile(payTool('integer'));
});

function actionOf(tool: ToolDefinition, args: Record<string, unknown>): JudgedAction {
  return {
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    delegated_by: [],
    workspace_id: 'wsp_a',
    tool,
    args,
    resources: [],
    task_class: 'general',
    session_mode: 'interactive',
    job_lists_tool: false,
    max_autonomy: null,
    labels: [],
    history: null,
    past: null,
  };
}

async function answerOf(set: PolicySet, tool: ToolDefinition, args: Record<string, unknown>): Promise<string> {
  const verdict = await engine.ready(set).active.judge(actionOf(tool, args));
  return verdict.effect === 'refuse' ? `${verdict.code}: ${verdict.message}` : verdict.autonomy_mode;
}

it.each([
  [{ amount: 500 }, 'autopilot'],
  [{ amount: 501 }, 'no_go'],
  [{ amount: 500, note: 'x'.repeat(4_000) }, 'autopilot'],
])("a rule on an argument of a tenant's program decides on %j", async (args, expected) => {
  expect(await answerOf(stored, payTool('integer'), args)).toBe(expected);
});

it('a program whose argument changed is refused, and the stored set goes on for all others', async () => {
  const changed = payTool('number');
  await expect(compile(changed)).rejects.toThrow(PolicySetError);
  const again = await compile(changed, 'stored');
  expect(again.policy_hash).toBe(stored.policy_hash);
  expect(await answerOf(again, changed, { amount: 1 })).toBe(
    "policy.args_changed: rules don't fit the arguments that `pay` takes: `bounded`",
  );
  expect(await answerOf(again, TOOLS.get('fs.read') as ToolDefinition, { path: 'a' })).toBe('autopilot');
});

it('the effect of a call is judged with the same arguments', async () => {
  const effect = {
    ...actionOf(payTool('integer'), { amount: 501 }),
    changes: [],
    granted: 'autopilot' as const,
    examined: { findings: [], lost: 0, readWrote: null },
    isApproved: false,
    permitted: [],
  };
  expect(await engine.ready(stored).active.judgeEffect(effect)).toMatchObject({ autonomy_mode: 'no_go' });
});

describe('the check of rules against a definition', () => {
  /** An engine whose checks are counted, and fail with the fault where there is one. */
  async function counting(
    fault: Fault | null = null,
    tasks = judgingTasks,
  ): Promise<{ engine: PolicyEngine; checks: () => number }> {
    const work = new InlineTaskRunner(tasks);
    let checks = 0;
    const run = work.run.bind(work);
    work.run = (task, input, options) => {
      if (task === 'policy.fit') checks += 1;
      return task === 'policy.fit' && fault !== null ? Promise.reject(fault) : run(task, input, options);
    };
    return { engine: new PolicyEngine(new CallReader(await shellGrammar(), work), work), checks: () => checks };
  }
  const unchecked = async (): Promise<PolicySet> => await compile(payTool('integer'));

  it('runs in a thread, once for a set and a definition, however many calls wait for it', async () => {
    const { engine: other, checks } = await counting();
    const set = await unchecked();
    const { active } = other.ready(set);
    const all = await Promise.all([1, 501, 3].map((amount) => active.judge(actionOf(payTool('integer'), { amount }))));
    expect(all).toMatchObject(['autopilot', 'no_go', 'autopilot'].map((autonomy_mode) => ({ autonomy_mode })));
    await active.judge(actionOf(payTool('integer'), { amount: 2 }));
    expect(checks()).toBe(1);
    expect(await active.judge(actionOf(payTool('number'), { amount: 2 }))).toMatchObject({ effect: 'refuse' });
    expect(checks()).toBe(2);
  });

  it("decides by the thread's answer", async () => {
    const { engine: other } = await counting(null, { ...judgingTasks, 'policy.fit': () => ['bounded'] });
    const { active } = other.ready(await unchecked());
    expect(await active.judge(actionOf(payTool('integer'), { amount: 1 }))).toMatchObject({
      effect: 'refuse',
      code: 'policy.args_changed',
    });
  });

  it('is not needed for calls whose arguments no rule reads', async () => {
    const { engine: other, checks } = await counting();
    await other.ready(await unchecked()).active.judge(actionOf(TOOLS.get('fs.read') as ToolDefinition, { path: 'a' }));
    expect(checks()).toBe(0);
  });

  it('that takes too long permits nothing, and can be tried again', async () => {
    const { engine: other } = await counting(new Fault('limit.exceeded'));
    const set = await unchecked();
    const call = actionOf(payTool('integer'), { amount: 1 });
    await expect(other.ready(set).active.judge(call)).rejects.toMatchObject({ code: 'overloaded' });
    expect(await engine.ready(set).active.judge(call)).toMatchObject({ autonomy_mode: 'autopilot' });
  });
});
