// SPDX-License-Identifier: Apache-2.0
// An acceptance names up to a whole listing, which a server sized: reading it must not hold the event loop up.
import { MCP_LIMITS, type McpRemoteTool } from '@writ/contract';
import { poolSizes, workerProgram } from '@writ/worker-pool';
import { KernelPool } from '../../kernel-pool.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { mcpScene } from '../../specs/mcp-scene.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { DecideMcpTools } from './decide-tools.ts';

/**
 * Milliseconds of processor time that the event loop may spend in one turn. Measured: 16 to 20. When the event loop
 * read the definitions, 50 to 54.
 */
const TURN_MS_MAX = 35;
/** Fewer tools than a listing may have, and as many bytes: the statements for each tool take most of the time. */
const TOOLS = 64;
const DEFINITION_BYTES = MCP_LIMITS.listingBytes / TOOLS - 512;

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let pool: KernelPool;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});
beforeAll(async () => {
  pool = new KernelPool({ ...poolSizes(), filename: workerProgram('../../kernel.worker', import.meta.url) });
  await kernel.admin.query('UPDATE kernel.mcp_server SET due_at = 9e15');
  tenant = await kernel.newTenant();
});
afterAll(() => pool.close());
const { admin, register, list, chosen } = mcpScene(() => ({ kernel, manage, tenant }));

/** About as long as a listing may be: schemas of many small members. */
const properties = Object.fromEntries(
  Array.from({ length: Math.floor(DEFINITION_BYTES / 24) }, (_, n) => [`m${String(n)}`, { type: 'string' }]),
);
const many = Array.from({ length: TOOLS }, (_, n): McpRemoteTool => {
  return { name: `tool-${String(n)}`, inputSchema: { type: 'object', properties } };
});

/** The longest turn of the event loop while the work is under way. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [isOver, longest, last] = [false, 0, process.threadCpuUsage()];
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  look();
  await work();
  isOver = true;
  look();
  return longest;
}

it('accepting all tools of the longest listing leaves the event loop to others', { timeout: 60_000 }, async () => {
  await register();
  await list(...many);
  const decide = new DecideMcpTools(manage.tenancy, manage.changes, pool);
  const tools = many.map((tool) => chosen(tool));
  let accepted = 0;
  const accept = async () => {
    const reply = await decide.accept({ ...requestBy(admin()), name: 'github', tools });
    accepted = reply.tools.filter(({ state }) => state === 'accepted').length;
  };
  const turns = [await longestTurn(accept), await longestTurn(accept)];
  expect(Math.min(...turns), `turns of ${turns.join(' and ')} ms`).toBeLessThan(TURN_MS_MAX);
  expect(accepted).toBe(TOOLS);
});
