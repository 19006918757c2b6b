// SPDX-License-Identifier: Apache-2.0
// The full output of a command whose result shows only the beginning: stored for a time, redacted, and returned to
// callers that may see the call.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { repositoryRoot } from '@writ/testing';
import {
  Api,
  eventually,
  makeWorld,
  Observer,
  sharedStack,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const SECRET = 'hunter2-of-a-tenant';
/** A length that divides no chunk, so that many chunks end inside the value. */
const [SAID, TOLD] = [`said ${SECRET} again and again\n`, 'said ***KEY*** again and again\n'];
const LINES = Math.ceil((5 * 1024 * 1024) / SAID.length);
const SHOWN_BYTES = 200_000;
const OUTPUT_READ_BYTES = 16 * 1024 * 1024;
/** Bytes that sealing adds to a content. */
const SEAL_BYTES = 36;
const DAY_MS = 24 * 3_600_000;

let stack: SharedStack;
let ours: World;
let theirs: World;
let observer: Observer;
let folder: string;
beforeAll(async () => {
  stack = await sharedStack();
  [ours, theirs] = [
    await makeWorld(stack.url, stack.keys.platformKey),
    await makeWorld(stack.url, stack.keys.platformKey),
  ];
  await ours.admin.request('PUT', '/v1/secrets', { name: 'KEY', value: SECRET });
  observer = new Observer(stack);
  folder = mkdtempSync(join(tmpdir(), 'writ-output-'));
});
afterAll(async () => {
  await observer?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: string): Promise<JsonValue> {
  const grant = {
    tools: ['shell.run'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: ['KEY'],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  const token = await ours.admin.must('/v1/capability-tokens', {
    agent_id: ours.agentId,
    workspace_id: ours.workspaceId,
    grant,
  });
  return (await ours.call('shell.run', { command }, { capability_token_id: token.capability_token_id })).body;
}
const pathOf = (id: unknown, query = ''): string => `/v1/operations/${String(id)}/output${query}`;
async function bytesOf(api: Api, path: string): Promise<Buffer> {
  const answer = await fetch(`${stack.url}${path}`, { headers: { authorization: `Bearer ${api.key ?? ''}` } });
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'nosniff',
  ]);
  return Buffer.from(await answer.arrayBuffer());
}

describe('of a command that prints 5 MiB, with a secret in every line', () => {
  let reported: JsonValue;
  beforeAll(async () => {
    reported = await run(
      `yes "${SAID.trim().replace(SECRET, '${secret:KEY}')}" | head -n ${LINES}; yes warned | head -n 1000 >&2`,
    );
  });

  it('the result shows the beginning, and names the full output with its expiry', () => {
    const dropped = SAID.length * LINES + 7_000 - SHOWN_BYTES;
    expect(reported).toMatchObject({
      tx_outcome: 'no_op',
      error: null,
      result: {
        exit_code: 0,
        truncated_bytes: dropped,
        output: expect.stringMatching(new RegExp(`\\n\\[output cut: ${dropped} more bytes\\]$`)),
      },
      whole_output: {
        href: pathOf(reported.operation_id),
        stdout: { bytes: TOLD.length * LINES, cut: false },
        stderr: { bytes: 7_000, cut: false },
      },
    });
    expect(reported.result.output.startsWith(TOLD.repeat(10))).toBe(true);
    expect(Math.abs(reported.whole_output.expires_at - Date.now() - 7 * DAY_MS)).toBeLessThan(DAY_MS);
  });

  it('the full output is exact without the secret, from each stream, for every role of its tenant', async () => {
    const stdout = await bytesOf(ours.agent, pathOf(reported.operation_id));
    expect(stdout.equals(Buffer.from(TOLD.repeat(LINES)))).toBe(true);
    expect((await bytesOf(ours.auditor, pathOf(reported.operation_id, '?stream=stderr'))).toString()).toBe(
      'warned\n'.repeat(1_000),
    );
    expect(
      (await ours.operator.get(`/v1/operations/${String(reported.operation_id)}`)).body.result.whole_output,
    ).toEqual(reported.whole_output);
  });

  it('the command line writes it to a file unchanged', async () => {
    const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
    const writ = async (...args: string[]) =>
      JSON.parse(
        (
          await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
            env: { PATH: process.env['PATH'] ?? '', WRIT_URL: stack.url, WRIT_API_KEY: ours.auditor.key ?? '' },
            maxBuffer: 2 ** 24,
          })
        ).stdout,
      ) as JsonValue;
    const out = join(folder, 'out.txt');
    expect(await writ('operations', 'output', reported.operation_id, '--out', out)).toMatchObject({
      bytes: TOLD.length * LINES,
      cut: false,
    });
    expect(readFileSync(out, 'utf8') === TOLD.repeat(LINES)).toBe(true);
    expect(await writ('operations', 'output', reported.operation_id, '--stream', 'stderr')).toMatchObject({
      content: 'warned\n'.repeat(1_000),
    });
  });

  it('another tenant gets the same answer as for an operation that does not exist', async () => {
    for (const query of ['', '?stream=stderr'])
      expect((await theirs.admin.get(pathOf(reported.operation_id, query))).body).toMatchObject({
        status: 404,
        code: 'not_found',
      });
  });

  it('after its expiry it is gone at once, and a collection deletes its contents', async () => {
    const contents = async () =>
      (
        await observer.rows(`SELECT 1 FROM blobs.blob WHERE tenant_id = $1 AND size = $2`, [
          ours.tenantId,
          TOLD.length * LINES + SEAL_BYTES,
        ])
      ).length;
    expect(await contents()).toBe(1);
    const over = Date.parse('2026-01-01T00:00:00Z');
    await observer.rows(
      `UPDATE kernel.operation SET whole_output = jsonb_set(whole_output, '{expires_at}', $2::text::jsonb) WHERE operation_id = $1`,
      [reported.operation_id, String(over)],
    );
    expect((await ours.agent.get(pathOf(reported.operation_id))).body).toMatchObject({
      status: 404,
      code: 'output.not_kept',
      detail: expect.stringContaining('until 2026-01-01T00:00:00.000Z'),
    });
    await observer.rows('UPDATE kernel.kept_output SET expires_at = $2 WHERE operation_id = $1', [
      reported.operation_id,
      over,
    ]);
    await eventually(
      'its row is swept',
      async () =>
        (await observer.rows('SELECT 1 FROM kernel.kept_output WHERE operation_id = $1', [reported.operation_id]))
          .length === 0,
    );
    await observer.rows(`UPDATE blobs.blob SET touched_at = now() - interval '3 days' WHERE tenant_id = $1`, [
      ours.tenantId,
    ]);
    await observer.rows('UPDATE kernel.tenant SET collected_at = 0 WHERE tenant_id = $1', [ours.tenantId]);
    await eventually('its contents are collected', async () => (await contents()) === 0, 120_000);
  });
});

it('no full output is kept of a short output, or of a preview', async () => {
  const reported = await run('echo short');
  expect(reported.whole_output).toBeUndefined();
  expect((await ours.agent.get(pathOf(reported.operation_id))).body).toMatchObject({
    status: 404,
    code: 'output.not_kept',
  });
  const held = await run('yes | head -c 1000000; rm -rf deep');
  const approval = await eventually('a preview', async () => {
    const { body } = await ours.admin.get(`/v1/approvals/${String(held.approval_id)}`);
    return ['ready', 'failed'].includes(body.preview.state as string) && (body as JsonValue);
  });
  expect(approval.preview.state).toBe('ready');
  expect(await observer.rows('SELECT 1 FROM kernel.kept_output WHERE operation_id = $1', [held.operation_id])).toEqual(
    [],
  );
});

it("a tenant's limit keeps outputs that fit, and a call whose output doesn't fit ends as usual", async () => {
  const limits = `/v1/tenants/${ours.tenantId}/limits`;
  const platform = new Api(stack.url, stack.keys.platformKey);
  const { body } = await platform.request('GET', limits);
  expect(
    await platform.request('PATCH', limits, { outputs_bytes_max: Number(body.outputs_bytes) + 999_999 }),
  ).toMatchObject({ status: 200 });
  const reported = await run('yes | head -c 1000000');
  expect(reported).toMatchObject({
    status: 'ok',
    result: { exit_code: 0, truncated_bytes: 1_000_000 - SHOWN_BYTES },
    whole_output: { stdout: { bytes: 1_000_000, cut: false }, expires_at: null },
  });
  expect((await ours.agent.get(pathOf(reported.operation_id))).body).toMatchObject({
    status: 404,
    code: 'output.not_kept',
    detail: expect.stringContaining('outputs_bytes_max'),
  });
  await platform.request('PATCH', limits, { outputs_bytes_max: null });
});

it('an output beyond the read limit is cut there, and result and full output are marked', async () => {
  const reported = await run('yes | head -c 40000000');
  expect(reported).toMatchObject({
    error: null,
    result: { exit_code: 0, truncated_bytes: 40_000_000 - SHOWN_BYTES },
    whole_output: { stdout: { bytes: OUTPUT_READ_BYTES, cut: true } },
  });
  const answer = await ours.agent.get(pathOf(reported.operation_id));
  expect([answer.headers.get('writ-output-cut'), answer.text === 'y\n'.repeat(OUTPUT_READ_BYTES / 2)]).toEqual([
    'true',
    true,
  ]);
});
