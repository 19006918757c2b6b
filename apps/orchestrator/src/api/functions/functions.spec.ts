// SPDX-License-Identifier: Apache-2.0
// Clients that leave while a permit is taken for them. Over a fake kernel.
import type { Server, ServerResponse } from 'node:http';
import { vi } from 'vitest';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const PERMIT = { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] };

let api: TestApi;
let tenant: TestTenant;
/** ends the take of a permit, which waits until then */
let answer: () => void;
/** of the server, to its last request */
let response: ServerResponse | undefined;
beforeAll(async () => {
  api = await openTestApi();
  (api.app.getHttpServer() as Server).on('request', (_request, its) => {
    response = its;
  });
  tenant = await api.newTenant();
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  api.kernel.handlers.set('function.take', async () => {
    await answered;
    return { permit: PERMIT };
  });
});

const asked = (verb: string) => api.kernel.requests.filter((one) => one.verb === verb);

describe.each([
  ['worker', '/v1/permits/next?wait=20000', {}],
  ['agent', '/v1/permits/own', { operation_id: 'op_x' }],
] as const)('a %s that takes a permit', (role, path, body) => {
  const headers = () => ({ authorization: `Bearer ${tenant[role]}`, 'content-type': 'application/json' });
  const post = (signal: AbortSignal) =>
    fetch(`${api.url}${path}`, { method: 'POST', headers: headers(), body: JSON.stringify(body), signal });

  it('and leaves before it is there gives it back, so that its call goes to another at once', async () => {
    const leaves = new AbortController();
    const lost = post(leaves.signal).catch(() => null);
    await vi.waitFor(() => expect(asked('function.take')).toHaveLength(1));
    leaves.abort();
    await lost;
    // The server sees the closed connection a moment later.
    await vi.waitFor(() => expect(response?.closed).toBe(true));
    answer();
    await vi.waitFor(() => expect(asked('function.release')).toMatchObject([{ request: { permit: PERMIT } }]));
  });

  it('and stays gets it', async () => {
    answer();
    expect(await (await post(new AbortController().signal)).json()).toEqual({ permit: PERMIT });
    expect(asked('function.release')).toEqual([]);
  });
});
