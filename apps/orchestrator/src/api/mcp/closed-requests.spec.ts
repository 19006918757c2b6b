// SPDX-License-Identifier: Apache-2.0
// In the stateless revision a client cancels a request by closing it. Over a fake kernel.
import type { Client } from '@modelcontextprotocol/client';
import { vi } from 'vitest';
import type { OperationView, ProposedCall } from '@writ/contract';
import { viewOf } from '../../specs/fake-views.ts';
import { mcpClient } from '../../specs/mcp-client.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let open: Client[] = [];
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});
afterEach(async () => {
  await Promise.all(open.map((client) => client.close()));
  open = [];
});

const connect = async (options: Parameters<typeof mcpClient>[2] = {}): Promise<Client> => {
  const url = `${api.url}/mcp/${has.capability_token_id}?workspace_id=${has.workspace_id}`;
  const client = await mcpClient(url, tenant.agent, options);
  open.push(client);
  return client;
};
const verbs = (): string[] => api.kernel.requests.map(({ verb }) => verb);
const count = (verb: string): number => verbs().filter((one) => one === verb).length;
const inState =
  (state: 'performing' | 'held') =>
  (call: ProposedCall): OperationView => ({ ...viewOf(call, state), result: null });

/** Calls, and closes the request once the kernel was asked for `verb`. */
async function closedAfter(verb: string, client: Client, meta: Record<string, unknown> = {}): Promise<void> {
  const stop = new AbortController();
  const request = { name: 'fs_read', arguments: { path: 'a' }, _meta: meta };
  const ended = client.callTool(request, { signal: stop.signal });
  await vi.waitFor(() => expect(verbs()).toContain(verb));
  // The request is followed a moment later.
  await new Promise((resolve) => setTimeout(resolve, 200));
  stop.abort();
  await expect(ended).rejects.toThrow();
}

it('a closed request cancels its operation', async () => {
  api.kernel.admits = inState('performing');
  await closedAfter('admit', await connect());
  await vi.waitFor(() => expect(count('operation.cancel')).toBe(1));
});

it("a closed request with the client's own idempotency key does not: it will be repeated", async () => {
  api.kernel.admits = inState('performing');
  await closedAfter('admit', await connect(), { 'writ.dev/idempotency-key': 'k1' });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(count('operation.cancel')).toBe(0);
});

/** A client whose user accepts to wait for a held call. */
function waiting(): Promise<Client> {
  api.kernel.admits = (call) => {
    const view = inState('held')(call);
    api.kernel.keep(tenant.tenantId, call.operation_id, 'operation', view);
    return view;
  };
  return connect({ elicit: () => ({ action: 'accept', content: {} }) });
}

it('a closed request that waits for a held call cancels it', async () => {
  await closedAfter('operation.read', await waiting());
  await vi.waitFor(() => expect(count('operation.cancel')).toBe(1));
});

it("a closed request that waits for a held call with the client's own idempotency key does not", async () => {
  await closedAfter('operation.read', await waiting(), { 'writ.dev/idempotency-key': 'k2' });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(count('operation.cancel')).toBe(0);
});
