// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  nextKernelKey,
  kernel,
  keysOf,
  newSigner,
  receiptIn,
  RECORDED_AT,
  recordsOf,
  revocationOf,
} from '../specs/fake-log.ts';
import { fakeApi, problem, writ, type FakeApi, type CliResult } from '../specs/run-cli.ts';

/** Ten records, the revocation of the key that signed them, and one more record by that key. */
const LOG = [...recordsOf(10), revocationOf(), ...recordsOf(12).slice(11)];
const REVOKED_AT = 10;
const ROW = {
  recorded_at: 1,
  record_id: 'r',
  type: 'key',
  phase: null,
  operation_id: null,
  agent_id: null,
  tool_id: null,
  session_id: null,
  verdict: null,
  outcome: null,
  fault_code: null,
  risk_score: null,
  is_drawn: true,
};

let dir: string;
let api: FakeApi;
let writtenHistory: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'writ-log-keys-'));
  api = await fakeApi(({ url }) => {
    if (url.startsWith('/v1/records?type=key&order=oldest'))
      return {
        body: {
          items: [{ ...ROW, leaf_index: REVOKED_AT }],
          next_cursor: null,
          indexed_to: LOG.length - 1,
          tree_size: LOG.length,
        },
      };
    return url === `/v1/records/${String(REVOKED_AT)}/receipt`
      ? { body: writtenHistory }
      : problem(404, 'not_found', 'there is no such thing here');
  });
});
afterAll(async () => {
  await api.close();
  rmSync(dir, { recursive: true });
});
beforeEach(() => {
  writtenHistory = receiptIn(LOG, REVOKED_AT, nextKernelKey);
  writeFileSync(join(dir, 'keys.json'), keysOf({ revoked_from: RECORDED_AT + 1 }));
});

const file = (name: string, content: string): string => {
  writeFileSync(join(dir, name), content);
  return join(dir, name);
};
const run = (...args: string[]): Promise<CliResult> =>
  writ([...args, '--keys', join(dir, 'keys.json'), '--json'], { env: api.env });
const history = (): string => join(dir, 'key-history.ndjson');

describe('the key history of a log', () => {
  it('is shown with leaf and signer, and its receipts are written for verification', async () => {
    const { exit, out } = await run('log', 'keys', '--out', history());
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      is_whole: false,
      events: [
        {
          leaf_index: REVOKED_AT,
          event: 'revoked',
          purpose: 'record',
          keyid: kernel.keyid,
          from: RECORDED_AT,
          signed_by: nextKernelKey.keyid,
          counts: true,
        },
      ],
    });
    expect(readFileSync(history(), 'utf8')).toBe(writtenHistory);
    expect(await writ(['log', 'keys', '--keys', join(dir, 'keys.json')], { env: api.env })).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/revoked[^]*behind the log/) as string,
    });
  });

  it("is not shown where a record doesn't verify", async () => {
    writtenHistory = receiptIn(LOG.with(2, Buffer.from('{}')), REVOKED_AT, nextKernelKey).replace(
      /"leaf_index":10/,
      '"leaf_index":9',
    );
    expect(await run('log', 'keys')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('error verify.inclusion: record 10') as string,
    });
    writtenHistory = receiptIn(LOG, REVOKED_AT, newSigner());
    expect(await run('log', 'keys')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('error verify.signature') as string,
    });
  });
});

describe('a receipt by a revoked key', () => {
  const verify = (index: number, ...args: string[]): Promise<CliResult> =>
    run('verify', file(`r${String(index)}.json`, receiptIn(LOG, index)), ...args);
  const keyHistory = (): string => file('key-history.ndjson', writtenHistory);

  it('verifies with the key history if it precedes the revocation, and the output states it', async () => {
    expect(await verify(3)).toMatchObject({ exit: 1, err: expect.stringContaining('writ log keys') as string });
    const { exit, out } = await verify(3, '--key-history', keyHistory());
    expect([exit, out]).toEqual([0, expect.stringContaining('recorded before the revocation (leaf 3 < 10)')]);
  });

  it('fails if it follows the revocation', async () => {
    expect(await verify(11, '--key-history', keyHistory())).toMatchObject({
      exit: 1,
      err: expect.stringContaining('(leaf 11 > 10)') as string,
    });
  });

  it.each([
    ['that is none', 'nonsense\n', 'verify.format'],
    ['that nobody signed who is known', receiptIn(LOG, REVOKED_AT, newSigner()), 'verify.signature'],
    [
      'whose places are not proved',
      receiptIn(LOG, REVOKED_AT, nextKernelKey).replace('"leaf_index":10', '"leaf_index":11'),
      'verify.inclusion',
    ],
  ])('fails with a key history %s', async (_what, content, code) => {
    expect(await verify(3, '--key-history', file('bad.ndjson', content))).toMatchObject({
      exit: 1,
      err: expect.stringContaining(`error ${code}: \`${join(dir, 'bad.ndjson')}\``) as string,
    });
  });

  it('is refreshed if it precedes the revocation', async () => {
    const server = await fakeApi(() => ({ body: (JSON.parse(receiptIn(LOG, 3)) as { inclusion: unknown }).inclusion }));
    const receipt = file('r3.json', receiptIn(LOG.slice(0, 8), 3));
    expect(
      await writ(['log', 'refresh', receipt, '--keys', join(dir, 'keys.json')], { env: server.env }),
    ).toMatchObject({ exit: 1 });
    expect(
      await writ(['log', 'refresh', receipt, '--keys', join(dir, 'keys.json'), '--key-history', keyHistory()], {
        env: server.env,
      }),
    ).toMatchObject({ exit: 0 });
    expect(readFileSync(receipt, 'utf8')).toBe(receiptIn(LOG, 3));
    await server.close();
  });
});
