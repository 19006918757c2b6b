// SPDX-License-Identifier: Apache-2.0
// The Agents SDK of OpenAI: `node main.mjs 'refund 500'`, and `node main.mjs --resume` after a held call.
import { Agent, run, RunState, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import { governTools } from '@writ/client/openai-agents';
import OpenAI from 'openai';
import { finish, isResumed, keep, kept, prompt } from '../conversation.mjs';
import { options, tools, writ } from '../refunds.mjs';

setDefaultOpenAIClient(new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'local' }));
setOpenAIAPI('chat_completions');
setTracingDisabled(true);

const governed = governTools(writ, tools, options);
const agent = new Agent({ name: 'billing', model: 'local', tools: governed.tools.map(tool) });

const result = await run(agent, isResumed ? await resumed() : prompt);
const [held] = result.interruptions;
if (held === undefined) finish(result.finalOutput);
else keep({ state: result.state.toString() }, await governed.operationOf(held));

async function resumed() {
  const state = await RunState.fromString(agent, kept().state);
  for (const interruption of state.getInterruptions()) {
    const operation = await governed.operationOf(interruption);
    if (operation !== null) await governed.untilDecided(operation);
    // This approves nothing: it makes the SDK run the tool, which asks Writ again.
    state.approve(interruption);
  }
  return state;
}
