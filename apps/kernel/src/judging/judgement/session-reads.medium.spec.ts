// SPDX-License-Identifier: Apache-2.0
// A session's past is found by the session. Under row-level security an index serves a column, and not an expression
// that may leak: then the database would read all of the tenant's calls.
import { rowsRead } from '@writ/testing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';

const OTHERS = 80;
/** The call itself, and its neighbours in the session. */
const READ_MAX = 20;

let kernel: PolicyKernel;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel } = on);
}, openPolicyKernel);

test('a decision reads nothing of what other sessions of its tenant destroyed', async () => {
  const tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  const token = await tenant.token();
  const run = (command: string, session_id: string) =>
    kernel.admit.run(tenant.writeCall(token, { session_id, tool_id: 'shell.run', args: { command } }), null);
  for (let n = 0; n < OTHERS; n++) expect((await run('rm -rf src', `other-${n % 4}`)).state).toBe('held');
  const before = await rowsRead(kernel.tenants.pool, 'kernel.operation');
  await run('rm a.txt', 'one');
  expect((await rowsRead(kernel.tenants.pool, 'kernel.operation')) - before).toBeLessThanOrEqual(READ_MAX);
});
