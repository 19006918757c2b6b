// SPDX-License-Identifier: Apache-2.0
// The examples of adapters, run as they stand against a real Writ and a model on loopback. Skipped by name where the
// frameworks can't be installed. The Claude Agent SDK alone takes 400 MB.
import { vi } from 'vitest';
import { AdapterExamples, claudePackages, frameworkPackages } from '../adapter-examples.ts';
import { AdapterWorld, RAN } from '../adapter-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const frameworks = await frameworkPackages();
const claude = await claudePackages();

/** What every framework must do. */
function behaves(names: readonly string[], world: () => { examples: AdapterExamples; made: AdapterWorld }): void {
  it.each(names)('%s runs an admitted call once, and tells the model why another is refused', async (name) => {
    const { examples, made } = world();
    const [admitted, refused] = [examples.of(name, made), examples.of(name, made)];
    const done = await admitted.run('refund 5', { WRIT_MAX_AUTONOMY: 'autopilot' });
    const told = await refused.run('close c-7', { WRIT_MAX_AUTONOMY: 'autopilot' });
    expect(done).toEqual({ text: `told: ${RAN(5)}` });
    expect(admitted.effects).toEqual(['5']);
    expect(told).toEqual({ text: expect.stringContaining('[token.tool]') });
    expect(refused.effects).toEqual([]);
  });

  // The example of LangChain keeps its graph in memory.
  it.each(names.filter((name) => name !== 'langchain'))(
    '%s pauses for a held call, and another process runs it once a person has approved it, or never',
    async (name) => {
      const { examples, made } = world();
      const [approved, denied] = [examples.of(name, made), examples.of(name, made)];
      await made.decide(await made.held(approved, 'refund 7'), 'approve');
      await made.decide(await made.held(denied, 'refund 7'), 'deny');
      expect(await made.resume(approved)).toEqual({ text: `told: ${RAN(7)}` });
      expect(approved.effects).toEqual(['7']);
      // The framework was told that the call is approved. Writ was not.
      expect(await made.resume(denied)).toEqual({ text: expect.stringContaining('[approval.denied]') });
      expect(denied.effects).toEqual([]);
    },
  );
}

describe.each([
  [
    'frameworks (skipped where npm can not install them)',
    frameworks,
    ['ai', 'openai', 'anthropic', 'openai-agents', 'langchain'],
  ],
  ['the Claude Agent SDK (skipped where npm can not install it)', claude, ['claude-agent']],
] as const)('adapters of %s:', (_what, packages, names) => {
  let examples: AdapterExamples;
  let made: AdapterWorld;
  beforeAll(async () => {
    if (packages === null) return;
    [examples, made] = await Promise.all([AdapterExamples.prepare(packages), AdapterWorld.make()]);
  });
  afterAll(async () => {
    examples?.remove();
    await made?.end();
  });

  describe.skipIf(packages === null)('the adapter of', () => behaves(names, () => ({ examples, made })));
});

it.skipIf(frameworks === null)('types of adapters fit those of their frameworks', async () => {
  const examples = await AdapterExamples.prepare(frameworks!);
  expect(await examples.compile(PROGRAM)).toBe('');
  examples.remove();
});

const PROGRAM = `
import Anthropic from '@anthropic-ai/sdk';
import { Agent, tool as agentTool } from '@openai/agents';
import { Writ, type GovernedTools } from '@writ/client';
import * as ai from '@writ/client/ai';
import * as anthropic from '@writ/client/anthropic';
import * as langchain from '@writ/client/langchain';
import * as openai from '@writ/client/openai';
import * as agents from '@writ/client/openai-agents';
import * as telemetry from '@opentelemetry/api';
import { generateText, type LanguageModel } from 'ai';
import { createAgent, createMiddleware, tool } from 'langchain';
import OpenAI from 'openai';
export async function work(writ: Writ, tools: GovernedTools, model: LanguageModel): Promise<unknown[]> {
  const first = ai.governTools(writ, tools, { telemetry, scope: 'one' });
  const text = await generateText({ model, prompt: '', tools: first.tools, toolApproval: first.toolApproval });
  const second = openai.governTools(writ, tools);
  const runner = new OpenAI().chat.completions.runTools({ model: 'm', messages: [], tools: second.tools });
  const messages = [...runner.messages, ...(await second.answer(runner.messages))];
  const third = anthropic.governTools(writ, tools);
  const loop = new Anthropic().beta.messages.toolRunner({ model: 'm', max_tokens: 1, messages: [], tools: third.tools });
  for await (const message of loop) if ((await third.heldIn(message)).length > 0) messages.pop();
  const fourth = agents.governTools(writ, tools);
  const agent = new Agent({ name: 'a', tools: fourth.tools.map((one) => agentTool(one)) });
  const { definitions, body, wrapToolCall } = langchain.governTools(writ, tools);
  const graph = createAgent({
    model: 'm',
    tools: definitions.map((one) => tool(body, one)),
    middleware: [createMiddleware({ name: 'Writ', wrapToolCall })],
  });
  return [text, messages, agent, graph];
}`;
