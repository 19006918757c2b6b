// SPDX-License-Identifier: Apache-2.0
// The main job: an agent fixes a bug in a small repository, through the API alone, and everything that it does is checked.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { runAgent } from '@writ/agent-loop';
import { checkout } from '../setup.ts';
import { Api } from './api.ts';
import { writeCliFile } from './cli-file.ts';
import { ensureDemo } from './demo-tenant.ts';
import { describeCall } from './describe-call.ts';
import { judgeRun } from './expectations.ts';
import { isFix } from './findings.ts';
import { chooseModel, readTranscript, type ChosenModel } from './models/choose.ts';
import { missingProbes } from './probes.ts';
import { checkReceipts, fetchReceipts } from './receipts.ts';
import type { JobOptions, JobResult } from './result.ts';
import { summarize } from './summary.ts';
import { answerOf, OFFERS, ToolDesk, type Entry } from './tool-desk.ts';
import { createWorkspace, issueToken } from './workspace.ts';

export type { JobCall, JobOptions, JobResult } from './result.ts';

const EXAMPLE = join(checkout, 'examples', 'duration');
const TRANSCRIPT = join(checkout, 'examples', 'duration.transcript.json');

const SYSTEM = [
  'You work on a small JavaScript repository through tools; the workspace is the repository, and paths are relative to it.',
  'Commands run in a disposable container without network and without npm: run the tests with `node --test`.',
  'A command that fails is rolled back whole. When a call is refused or denied, accept that and go on.',
].join(' ');

/** Enough for a model that looks around; a recorded run takes fewer. */
const ROUNDS_MAX = 30;
const RUN_ID_BYTES = 9;

/** Runs the agent; resolves with why it gave up, or null. */
async function runModel({ model, prompt }: ChosenModel, desk: ToolDesk, say: (line: string) => void): Promise<string | null> {
  let turn = 0;
  try {
    const { stopped } = await runAgent({
      model, system: SYSTEM, prompt, tools: OFFERS, roundsMax: ROUNDS_MAX, signal: new AbortController().signal,
      callTool: async (call) => answerOf(await desk.call(call, turn, 'model')),
      onEvent: (event) => {
        if (event.kind !== 'turn') return;
        turn = event.round;
        if (event.turn.text !== '') say(`  ${event.turn.text}`);
        for (const call of event.turn.calls) say(`   → ${describeCall(call)}`);
      },
    });
    return stopped === 'end' ? null : `stopped by ${stopped}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What the run has to show and the model did not do by itself; then a call that was heard twice. */
async function complete(desk: ToolDesk, say: (line: string) => void): Promise<void> {
  for (const call of missingProbes(desk.journal)) {
    say(`  the job itself: ${describeCall(call)}`);
    await desk.call(call, 0, 'job');
  }
  const fix = desk.journal.find(isFix);
  if (fix === undefined) return;
  say(`  the same call again, under its idempotency key: ${describeCall(fix.call)}`);
  await desk.repeat(fix);
}

const operationsOf = (journal: readonly Entry[]) => journal.filter(({ isRepeat }) => !isRepeat).map(({ operation }) => operation);

/**
 * Does the main job on a running Writ.
 *
 * @returns what happened; `ok` only if every expectation held
 * @throws what the API or the file system throws when there is no run to speak of
 */
export async function runJob({ apiUrl, platformKey, stateDir, onProgress: say, env = process.env }: JobOptions): Promise<JobResult> {
  const demo = await ensureDemo(apiUrl, platformKey, stateDir);
  const [admin, operator, agent] = [demo.keys.admin, demo.keys.operator, demo.keys.agent].map((key) => new Api(apiUrl, key)) as [Api, Api, Api];
  const runId = `run-${randomBytes(RUN_ID_BYTES).toString('base64url')}`;
  const workspaceId = await createWorkspace(admin, `duration ${runId}`, EXAMPLE);
  const tokenId = await issueToken(admin, demo.agent_id, workspaceId, Date.now());
  writeCliFile(stateDir, { apiUrl, platformKey, demo, workspaceId, tokenId });

  const chosen = chooseModel(env, readTranscript(TRANSCRIPT));
  say(`${chosen.model.name} works on a copy of examples/duration: ${chosen.prompt}`);
  const desk = new ToolDesk({ agent, operator, workspaceId, tokenId, runId, model: chosen.model.name, say });
  const modelFault = await runModel(chosen, desk, say);
  await complete(desk, say);

  say('  fetching every receipt and verifying it offline, in a process that has the public keys and no connection');
  const files = await fetchReceipts(operator, operationsOf(desk.journal), join(stateDir, 'receipts'));
  const receipts = await checkReceipts(files, join(stateDir, 'public-keys.json'));
  const expectations = judgeRun({ journal: desk.journal, receipts, modelFault });
  return {
    ok: expectations.every(({ met }) => met),
    model: chosen.model.name,
    workspace_id: workspaceId,
    calls: summarize(desk.journal, receipts),
    expectations,
  };
}
