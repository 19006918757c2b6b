// SPDX-License-Identifier: Apache-2.0
// One tenant's commands must not keep another waiting: expensive ones, read by real threads, beside another tenant's
// ordinary ones.
import { setTimeout as sleep } from 'node:timers/promises';
import { SHELL_RUN } from '@writ/contract';
import { workerProgram, poolSizes } from '@writ/worker-pool';
import type { ActivePolicy, JudgedAction } from './policy-sets.ts';
import { KernelPool } from '../../kernel-pool.ts';
import { loadPolicyEngine } from './index.ts';

/**
 * Far below the time that these commands took on the event loop (6 s and more), and above what other work on the
 * machine adds.
 */
const DELAY_MS_MAX = 500;

let pool: KernelPool;
let policy: ActivePolicy;
beforeAll(async () => {
  pool = new KernelPool({ ...poolSizes(), filename: workerProgram('../../kernel.worker', import.meta.url) });
  policy = (await loadPolicyEngine(pool)).standard.active;
});
afterAll(() => pool.close());

const action = (tenant_id: string, command: string): JudgedAction => ({
  tenant_id,
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

const HOSTILE: readonly (readonly [string, string])[] = [
  ['here-documents', 'cat <<E;'.repeat(8_000)],
  ['here-documents that feed each other', 'cat <<E|'.repeat(8_000)],
  ['words that multiply', `set -- a b c; ${'set -- "$@" "$@"; '.repeat(100)}rm "$@"`],
  ['brackets', '('.repeat(30_000)],
  ['substitutions', `echo ${'$(echo '.repeat(300)}x${')'.repeat(300)}`],
];

it.each(HOSTILE)('a command of %s holds up no other tenant, and never passes without a person', async (_, command) => {
  let longest = 0;
  let isOver = false;
  const other = async (): Promise<void> => {
    while (!isOver) {
      const began = performance.now();
      expect(await policy.judge(action('ten_other', 'ls -la'))).toMatchObject({
        effect: 'allow',
        autonomy_mode: 'autopilot',
      });
      await sleep(1);
      longest = Math.max(longest, performance.now() - began);
    }
  };
  const beside = other();
  const verdicts = await Promise.allSettled(
    Array.from({ length: 2 }, () => policy.judge(action('ten_hostile', command))),
  );
  isOver = true;
  await beside;
  for (const verdict of verdicts) {
    const isHarmless =
      verdict.status === 'fulfilled' && verdict.value.effect === 'allow' && verdict.value.autonomy_mode === 'autopilot';
    expect(isHarmless).toBe(false);
  }
  expect(longest).toBeLessThan(DELAY_MS_MAX);
});
