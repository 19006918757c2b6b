// SPDX-License-Identifier: Apache-2.0
// The main job: an agent fixes a bug in a small repository, through the API alone, and all its effects are checked.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newRun, runAgent } from '@writ/agent-loop';
import { checkout } from '../setup.ts';
import { Api } from './api.ts';
import { formerToken, writeCliFile } from './cli-file.ts';
import { ensureDemo } from './demo-tenant.ts';
import { describeCall } from './describe-call.ts';
import { judgeRun } from './expectations.ts';
import { isFix } from './findings.ts';
import { chooseModel, readTranscript, type ChosenModel } from './models/choose.ts';
import { missingProbes } from './probes.ts';
import { checkReceipts, fetchReceipts } from './receipts.ts';
import type { JobOptions, JobResult } from './result.ts';
import { summarize } from './summary.ts';
import { answerOf, OFFERS, ToolClient, type Entry } from './tool-client.ts';
import { createWorkspace, issueToken, revokeToken } from './workspace.ts';

export type { JobCall, JobOptions, JobResult } from './result.ts';

const EXAMPLE = join(checkout, 'examples', 'duration');
const TRANSCRIPT = join(checkout, 'examples', 'duration.transcript.json');

const SYSTEM = [
  'You work on a small JavaScript repository through tools; the workspace is the repository, and paths are relative to it.',
  'Commands run in a disposable container without network and without npm: run the tests with `node --test`.',
  'A command that fails is rolled back whole. When a call is refused or denied, accept that and go on.',
].join(' ');

/** Enough for an exploring model; a recorded run needs fewer. */
const ROUNDS_MAX = 30;
const RUN_ID_BYTES = 9;

/** Runs the agent; resolves with why it gave up, or null. */
async function runModel(
  { model, prompt }: ChosenModel,
  toolClient: ToolClient,
  print: (line: string) => void,
): Promise<string | null> {
  try {
    const { stopped, state } = await runAgent({
      model,
      system: SYSTEM,
      tools: OFFERS,
      state: newRun([{ role: 'user', text: prompt }]),
      rules: { rounds_max: ROUNDS_MAX, order: 'sequence' },
      callTool: async (call, { round }) => answerOf(await toolClient.call(call, round, 'model')),
      onNote: (note) => {
        if (note.kind === 'retry')
          print(`  the model failed (${note.error.message}); asked again in ${note.delay_ms} ms`);
        if (note.kind !== 'event' || note.event.kind !== 'replied') return;
        const { text, calls } = note.event.turn;
        if (text !== '') print(`  ${text}`);
        for (const call of calls) print(`   → ${describeCall(call)}`);
      },
      wait: (ms, signal) => sleep(ms, undefined, { signal }),
      chance: Math.random,
      signal: new AbortController().signal,
    });
    if (state.ended?.stopped === 'model_failed') return state.ended.message;
    return stopped === 'end' ? null : `stopped by ${stopped}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Makes the calls that the run has to show and the model did not make, then a repeated call. */
async function complete(toolClient: ToolClient, print: (line: string) => void): Promise<void> {
  for (const call of missingProbes(toolClient.journal)) {
    print(`  the job itself: ${describeCall(call)}`);
    await toolClient.call(call, 0, 'job');
  }
  const fix = toolClient.journal.find(isFix);
  if (fix === undefined) return;
  print(`  the same call again, under its idempotency key: ${describeCall(fix.call)}`);
  await toolClient.repeat(fix);
}

const operationsOf = (journal: readonly Entry[]) =>
  journal.filter(({ isRepeat }) => !isRepeat).map(({ operation }) => operation);

/**
 * Does the main job on a running Writ.
 *
 * @returns the result; `ok` only if every expectation is met
 * @throws an error of the API or the file system that prevents the run
 */
export async function runJob({
  apiUrl,
  platformKey,
  stateDir,
  onProgress: say,
  env = process.env,
}: JobOptions): Promise<JobResult> {
  const demo = await ensureDemo(apiUrl, platformKey, stateDir);
  const [admin, operator, agent] = [demo.keys.admin, demo.keys.operator, demo.keys.agent].map(
    (key) => new Api(apiUrl, key),
  ) as [Api, Api, Api];
  const runId = `run-${randomBytes(RUN_ID_BYTES).toString('base64url')}`;
  const workspaceId = await createWorkspace(admin, `duration ${runId}`, EXAMPLE);
  const former = formerToken(stateDir);
  if (former !== undefined) await revokeToken(admin, former);
  const tokenId = await issueToken(admin, demo.agent_id, workspaceId, Date.now());
  writeCliFile(stateDir, { apiUrl, platformKey, demo, workspaceId, tokenId });

  const chosen = chooseModel(env, readTranscript(TRANSCRIPT));
  say(`${chosen.model.name} works on a copy of examples/duration: ${chosen.prompt}`);
  const toolClient = new ToolClient({
    agent,
    operator,
    workspaceId,
    tokenId,
    runId,
    model: chosen.model.name,
    print: say,
  });
  const modelFault = await runModel(chosen, toolClient, say);
  await complete(toolClient, say);

  say('  fetching every receipt and verifying it offline, in a process that has the public keys and no connection');
  const files = await fetchReceipts(operator, operationsOf(toolClient.journal), join(stateDir, 'receipts'));
  const receipts = await checkReceipts(files, join(stateDir, 'public-keys.json'));
  const expectations = judgeRun({ journal: toolClient.journal, receipts, modelFault });
  return {
    ok: expectations.every(({ met }) => met),
    model: chosen.model.name,
    workspace_id: workspaceId,
    calls: summarize(toolClient.journal, receipts),
    expectations,
  };
}
