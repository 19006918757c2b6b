// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulation } from '@writ/contract';
import { fakeApi, problem, writ, type FakeApi, type FakeResponse } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const SIMULATION: Simulation = {
  simulated: true,
  would_be: 'held',
  error: null,
  autonomy_mode: 'soft_gate',
  risk_score: 0.6,
  risk_basis: ['delete.tree'],
  reasons: [{ code: 'delete.tree', message: '`rm` would delete `src`' }],
  approvers: { count: 1, role: 'operator' },
  labels: ['untrusted'],
  explanation: null,
};
const ENV = ['--workspace', IDS.workspace, '--token', IDS.token, '--agent', IDS.agent];

let said: FakeResponse;
let api: FakeApi;
let dir: string;
beforeAll(async () => {
  api = await fakeApi(({ url }) =>
    url.startsWith('/v1/policies?')
      ? { body: { items: [{ name: 'our-team' }], next_cursor: null, shipped: [] } }
      : said,
  );
});
afterAll(() => api.close());
beforeEach(() => {
  said = { body: SIMULATION };
  api.requests.length = 0;
  dir = mkdtempSync(join(tmpdir(), 'writ-simulate-'));
});
afterEach(() => rmSync(dir, { recursive: true }));
const simulate = async (...args: string[]) =>
  await writ(['policy', 'simulate', 'shell.run', ...ENV, ...args], { env: api.env, cwd: dir });

test('simulate asks for the decision on one call, and prints why', async () => {
  const { exit, out, err } = await simulate('--args', '{"command":"rm -rf src"}', '--policy', 'team', '--session', 's');
  expect({ exit, err }).toEqual({ exit: 3, err: '' });
  expect(out).toMatch(/^would be +held$/m);
  expect(out).toContain('delete.tree: `rm` would delete `src`');
  const [request] = api.requests;
  expect([request?.method, request?.url]).toEqual(['POST', '/v1/policies/simulate']);
  expect(JSON.parse(request!.body)).toEqual({
    policy: 'team',
    call: {
      tool_id: 'shell.run',
      args: { command: 'rm -rf src' },
      workspace_id: IDS.workspace,
      capability_token_id: IDS.token,
      agent_id: IDS.agent,
      session_id: 's',
    },
  });
});

test.each([
  ['admitted', 0],
  ['held', 3],
  ['refused', 4],
] as const)('a call that would be %s ends with status %i', async (would_be, exit) => {
  said = { body: { ...SIMULATION, would_be } };
  expect((await simulate()).exit).toBe(exit);
});

test('a set that is not stored comes from a file, and its warnings are on stderr', async () => {
  writeFileSync(join(dir, 'set.json'), JSON.stringify({ name: 'new', cedar: 'permit(principal, action, resource);' }));
  said = {
    body: {
      ...SIMULATION,
      warnings: [{ pointer: '/cedar', line: 1, column: 1, message: 'it can never apply', help: '' }],
    },
  };
  const { err } = await simulate('--file', 'set.json');
  expect(err).toContain('it can never apply');
  expect(JSON.parse(api.requests[0]!.body)).toMatchObject({ document: { name: 'new' } });
  expect((await simulate('--file', 'set.json', '--policy', 'x')).exit).toBe(2);
});

test('a set that is not there is named, with the one that was meant', async () => {
  said = problem(404, 'not_found', 'there is no such thing here');
  expect(await simulate('--policy', 'our-tean')).toMatchObject({
    exit: 5,
    err: expect.stringContaining(
      'there is no policy `our-tean` here, or this key may not see it; did you mean `our-team`?',
    ),
  });
});

test('its help is its own', async () => {
  const { exit, out } = await writ(['policy', 'simulate', '--help']);
  expect(exit).toBe(0);
  expect(out).toContain('Usage: writ policy simulate [options] <tool>');
});
