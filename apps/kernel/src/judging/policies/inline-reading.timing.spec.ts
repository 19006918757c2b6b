// SPDX-License-Identifier: Apache-2.0
// The event loop's cost of reading a call, whatever the result: the reading there has a budget of steps, and a command
// that exceeds it is read anew in a thread. Measured in processor time of this thread, so that a busy machine makes
// little difference.
import { SHELL_RUN } from '@writ/contract';
import { InlineTaskRunner } from '@writ/worker-pool';
import { judgingTasks, type JudgingTasks } from '../worker-tasks.ts';
import type { JudgedAction } from './policy-sets.ts';
import { CallReader } from './call-reader.ts';
import { shortCommands } from './inline-corpus.contract.ts';
import { shellGrammar } from './shell-grammar.ts';

const BYTES_MAX = 1_024;
/** The number of others that each construct is combined with: 24 make three thousand commands. */
const PAIRS = Number(process.env['WRIT_INLINE_PAIRS'] ?? 4);

/** Never completes its tasks: they cost the event loop nothing more. */
class NeverCompletingWork extends InlineTaskRunner<JudgingTasks> {
  given = 0;
  override run(): never {
    this.given += 1;
    return Promise.resolve({ ok: false, message: '', hint: '', unread: true }) as never;
  }
}

const action = (command: string): JudgedAction => ({
  tenant_id: 'ten_a',
  agent_id: 'a',
  delegated_by: [],
  workspace_id: 'w',
  tool: SHELL_RUN,
  args: { command },
  resources: [],
  task_class: 'general',
  session_mode: 'interactive',
  max_autonomy: null,
  job_lists_tool: false,
  labels: [],
  history: null,
  past: null,
});

/** So many readings are measured together: the system counts processor time in ticks of some milliseconds. */
const READINGS = 10;
/** Milliseconds of processor time that the event loop may spend on one call. Measured: 6. */
const CALL_MS_MAX = 10;

let work: NeverCompletingWork;
let reader: CallReader;
beforeAll(async () => {
  work = new NeverCompletingWork(judgingTasks);
  reader = new CallReader(await shellGrammar(), work);
});

async function costOf(command: string): Promise<number> {
  const before = process.threadCpuUsage();
  for (let reading = 0; reading < READINGS; reading += 1) await reader.read(action(command));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / READINGS;
}

it('no short command, whatever it repeats, costs the event loop more than a few milliseconds', async () => {
  const commands = shortCommands(BYTES_MAX, PAIRS);
  for (const command of commands.slice(0, 50)) await costOf(command);
  work.given = 0;
  const expensive: string[] = [];
  for (const command of commands) {
    const first = await costOf(command);
    // Once more where it seems expensive: garbage collection may fall into any measurement.
    const cost = first > CALL_MS_MAX ? Math.min(first, await costOf(command), await costOf(command)) : first;
    if (cost > CALL_MS_MAX) expensive.push(`${cost.toFixed(1)} ms: ${command.slice(0, 80)}`);
  }
  expect(expensive).toEqual([]);
  // Some were read there, and some were given to a thread: neither bound alone is what makes it short.
  expect(work.given).toBeGreaterThan((commands.length * READINGS) / 10);
  expect(work.given).toBeLessThan(commands.length * READINGS);
}, 600_000);
