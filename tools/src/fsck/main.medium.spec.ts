// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { formatCosignerKey, formatNoteKey } from '@writ/signing';
import type { TestDatabase } from '@writ/testing';
import type { Connection } from './rows.ts';
import { DEPLOYMENT, LOG_HEIR, PUBLISHED, WITNESS } from './specs/write-log.ts';
import { SIZE, TENANT, WrittenDatabase } from './specs/written-database.ts';

let written: WrittenDatabase;
let database: TestDatabase;
let client: Connection;
let logId: string;
beforeAll(async () => {
  written = await WrittenDatabase.open();
  ({ database, client, logId } = written);
}, 120_000);
afterAll(() => written.close());

describe('the program', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'writ-fsck-'));
    writeFileSync(join(dir, 'keys.json'), JSON.stringify(PUBLISHED));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  const run = async (...args: string[]): Promise<{ status: number; out: string; err: string }> => {
    const child = spawn(
      process.execPath,
      ['--conditions=@writ/source', join(import.meta.dirname, 'main.ts'), ...args],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '' } },
    );
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { status: status as number, out, err };
  };

  it('prints one line for each log, and exits with 0', async () => {
    const { status, out } = await run('--database', database.ownerUrl, '--keys', join(dir, 'keys.json'));
    expect(status).toBe(0);
    expect(out).toContain(`✔ ${logId}: ${SIZE} records, 5 roots, `);
    expect(out).toMatch(/2 logs, 0 with findings\n$/);
  });

  it('reports checkpoints by a key revoked since, and exits with 0', async () => {
    writeFileSync(
      join(dir, 'revoked.json'),
      JSON.stringify({
        ...PUBLISHED,
        log_keys: [formatNoteKey(DEPLOYMENT, LOG_HEIR.publicKey)],
        revoked_log_keys: PUBLISHED.log_keys,
      }),
    );
    const { status, out } = await run('--database', database.ownerUrl, '--keys', join(dir, 'revoked.json'));
    expect(status).toBe(0);
    expect(out).toContain('5 checkpoints, 5 of them by a key revoked since\n');
  });

  it("reads the given files, and names one that can't be read", async () => {
    const { rows } = await client.query<{ root: Buffer }>(
      'SELECT root FROM ledger.root WHERE log_id = $1 AND tree_size = $2',
      [logId, SIZE],
    );
    const line = (size: number): string => `${logId} ${TENANT} ${size} ${rows[0]!.root.toString('hex')}\n`;
    const [right, beyond, rubbish] = [
      ['right', line(SIZE)],
      ['beyond', line(SIZE) + line(SIZE + 1)],
      ['rubbish', 'rubbish\n'],
    ].map(([name, content]) => {
      writeFileSync(join(dir, name!), content!);
      return join(dir, name!);
    }) as [string, string, string];
    const ask = (...args: string[]) => run('--database', database.ownerUrl, '--keys', join(dir, 'keys.json'), ...args);
    expect(
      await ask('--signed', right, '--witness', formatCosignerKey(WITNESS.name, WITNESS.signer.publicKey)),
    ).toMatchObject({ status: 0 });
    expect(await ask('--signed', right, beyond)).toMatchObject({
      status: 1,
      out: expect.stringContaining('the ledger signed 305 leaves, and 1 of them are gone'),
    });
    expect(await ask('--signed', rubbish)).toMatchObject({ status: 2, err: expect.stringContaining('line 1 of') });
    expect(await ask('--witness', 'nobody')).toMatchObject({
      status: 2,
      err: expect.stringContaining("can't be read"),
    });
  });

  it('exits with 1 for any finding: here the keys are other ones', async () => {
    writeFileSync(join(dir, 'none.json'), JSON.stringify({ record_keys: [], log_keys: [] }));
    const { status, out } = await run('--database', database.ownerUrl, '--keys', join(dir, 'none.json'));
    expect(status).toBe(1);
    expect(out).toContain('holds no record that a known key signed');
    expect(out).toMatch(/… and \d+ more\n/);
  });

  it("fails for a role that can't see all rows", async () => {
    const { status, err } = await run('--database', database.urlFor('writ_ledger'), '--keys', join(dir, 'keys.json'));
    expect(status).toBe(2);
    expect(err).toContain('row-level security');
  });

  it('names a missing input, and exits with 2', async () => {
    expect((await run('--keys', join(dir, 'keys.json'))).status).toBe(2);
    expect((await run('--database', database.ownerUrl, '--keys', '/no/such')).err).toContain(
      "the public keys can't be read",
    );
  });
});
