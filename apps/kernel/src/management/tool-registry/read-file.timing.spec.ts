// SPDX-License-Identifier: Apache-2.0
// A file of tools may have hundreds of schemas with expressions: reading it must not hold the event loop up.
import { DECLARED_TOOLS } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { poolSizes, workerProgram } from '@writ/worker-pool';
import { KernelPool } from '../../kernel-pool.ts';
import { ApplyTools } from './apply-tools.ts';

/**
 * Milliseconds of processor time that the event loop may spend in one turn. Measured: 5. When the event loop read the
 * file, 190.
 */
const TURN_MS_MAX = 40;
/** An eighth of what a file may have: compiling their expressions takes seconds. */
const [TOOLS, PATTERNS] = [DECLARED_TOOLS.inOneFile / 8, 60];

let pool: KernelPool;
beforeAll(() => {
  pool = new KernelPool({ ...poolSizes(), filename: workerProgram('../../kernel.worker', import.meta.url) });
});
afterAll(() => pool.close());

const functions = Array.from({ length: TOOLS }, (_, n) => ({
  name: `own.tool_${String(n)}`,
  description: 'Does something.',
  category: 'read',
  mode: 'pull',
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: PATTERNS }, (_member, m) => [
        `m${String(m)}`,
        { type: 'string', pattern: `^[a-c]{1,${m + 2}}$` },
      ]),
    ),
  },
}));

it('reading a file of many tools leaves the event loop to others', { timeout: 60_000 }, async () => {
  const stored: unknown[] = [];
  const tenancy = { within: async () => await Promise.resolve(stored) };
  const apply = new ApplyTools(tenancy as never, {} as never, pool);
  let [isOver, longest, last] = [false, 0, process.threadCpuUsage()];
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  look();
  const caller = { tenant_id: newId('tenant'), api_key_id: newId('apiKey'), role: 'admin', agent_id: null } as const;
  const { valid, problems } = await apply.run({ v: 1, caller, file: { functions }, dry_run: true });
  isOver = true;
  look();
  expect([valid, problems]).toEqual([true, []]);
  expect(longest).toBeLessThan(TURN_MS_MAX);
});
