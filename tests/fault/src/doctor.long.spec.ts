// SPDX-License-Identifier: Apache-2.0
// `writ doctor` on installations that break one promise each, and on nothing else. Where a part can be broken itself,
// it is: the database, its settings, its functions, an executor, a clock, the ledger. Elsewhere a server in front of
// the API answers as the broken part would. tests/e2e/src/shared/doctor.spec.ts has an installation that is well.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { connect } from '@writ/database';
import { Api, Operator, startStack, type DoctorRun, type Stack } from '@writ/stack';
import { freePort, freshService, newCertificateAuthority, repositoryRoot } from '@writ/testing';
import {
  altersReceipts,
  approvesForAll,
  collecting,
  forgetsKeys,
  forksLog,
  looksEverywhere,
  printing,
  redeemsAll,
  reporting,
  restoresNothing,
  revokesNothing,
  rewritesHistory,
  showsSecrets,
  takesEffect,
} from './deceits.ts';
import { FrontProxy, HONEST, type Deceit } from './front-proxy.ts';
import { PrivatePostgres, whyNoPrivatePostgres } from './private-postgres.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const why = whyNoPrivatePostgres();
const describeBroken = why === null ? describe : describe.skip;
const PROGRAMS = join(repositoryRoot(), 'tests', 'fault', 'src', 'programs');

describeBroken(`a broken installation${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let postgres: PrivatePostgres;
  let stack: Stack;
  let operator: Operator;

  beforeAll(async () => {
    postgres = new PrivatePostgres();
    const data = join(postgres.ownFolder('cluster'), 'data');
    await postgres.init(data);
    await postgres.start(data);
    stack = await startStack({ database: await postgres.database() });
    operator = new Operator(stack.keys);
  });
  afterAll(async () => {
    await stack?.stop();
    operator?.remove();
    await postgres?.remove();
  });

  /** Every run fails, and closes what it made, whatever is broken. */
  async function expectFailed(run: DoctorRun, ids: readonly string[]): Promise<void> {
    expect({ failed: run.failed, exit: run.exit }, `${run.err}${run.out}`).toEqual({ failed: ids, exit: 1 });
    expect(run.file.report.healthy).toBe(false);
    expect(run.out).toMatch(/^not healthy$/m);
    for (const id of ids) {
      const shown = id.endsWith('?') ? `FAIL: not made +${id.slice(0, -1)}` : `FAIL +${id}`;
      expect(run.out).toMatch(new RegExp(`^${shown}: `, 'm'));
    }
    const { body } = await new Api(stack.url, stack.keys.platformKey).get(`/v1/tenants/${run.file.report.tenant_id}`);
    expect(body.state).toBe('closed');
  }

  async function examineBehind(deceit: Deceit, args: readonly string[] = []): Promise<DoctorRun> {
    const proxy = await FrontProxy.open(stack.url, deceit);
    try {
      return await operator.examine(proxy.url, args);
    } finally {
      await proxy.close();
    }
  }

  async function admin(...statements: readonly string[]): Promise<void> {
    const client = await connect(stack.database.ownerUrl, 'doctor-spec');
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async function countOf(rows: string): Promise<number> {
    const client = await connect(stack.database.ownerUrl, 'doctor-spec');
    try {
      return Number((await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${rows}`)).rows[0]?.n);
    } finally {
      await client.end();
    }
  }

  async function definitionOf(name: string): Promise<string> {
    const client = await connect(stack.database.ownerUrl, 'doctor-spec');
    try {
      const { rows } = await client.query<{ text: string }>('SELECT pg_get_functiondef($1::regproc) AS text', [name]);
      return rows[0]?.text ?? '';
    } finally {
      await client.end();
    }
  }

  it('behind a server that changes nothing, nothing fails', async () => {
    const { failed, exit, out } = await examineBehind(HONEST);
    expect({ failed, exit }, out).toEqual({ failed: [], exit: 0 });
  });

  it('shows neither a key nor a secret, and leaves none that works', async () => {
    const secrets = new Set<string>([stack.keys.platformKey]);
    const run = await examineBehind(collecting(secrets), ['--state', 'secrets.json']);
    expect(run.failed).toEqual([]);
    // Two administrators, the agent, nine keys of checks, and the value of the secret.
    expect(secrets.size).toBeGreaterThan(10);
    const shown = [run.out, run.err, JSON.stringify(run.file), readFileSync(operator.path('secrets.json'), 'utf8')];
    for (const secret of secrets) expect(shown.some((text) => text.includes(secret))).toBe(false);

    // Nothing of them is left: no key opens anything, and no secret is stored.
    secrets.delete(stack.keys.platformKey);
    for (const secret of secrets) expect((await new Api(stack.url, secret).get('/v1/whoami')).status).toBe(401);
    expect(await countOf('kernel.secret')).toBe(0);
  });

  it.each<[what: string, ids: readonly string[], deceit: () => Deceit]>([
    ['redeems any permit', ['permit-forged', 'permit-replayed', 'permit-foreign'], redeemsAll],
    ['carries out a call that it refused', ['refused-call'], () => takesEffect('token.scope')],
    ['keeps a file of a command that failed', ['rollback'], () => takesEffect('command.failed')],
    ['restores nothing', ['restore'], restoresNothing],
    ['lets people approve their own calls', ['four-eyes'], approvesForAll],
    ['accepts a key that was revoked', ['revoked-key'], revokesNothing],
    ['runs a call twice that was sent twice', ['idempotency'], forgetsKeys],
    ['alters receipts', ['receipt'], altersReceipts],
    ['forks the log between two checkpoints', ['log'], () => forksLog(stack.keys.checkpoint)],
    ['shows a secret', ['secret'], showsSecrets],
    [
      'has a full disk',
      ['disk'],
      () => printing((output) => output.replace(/^(\S+ +(\d+) +\d+ +)\d+( +\d+% \/)$/m, '$11024$3')),
    ],
    ["shows a tenant another one's objects", ['tenants'], looksEverywhere],
    [
      'has a kernel of another version',
      ['versions'],
      () => reporting(({ kernel }) => ({ kernel: { ...kernel, version: '0.0.9' } })),
    ],
    [
      'keeps records from the log',
      ['outbox'],
      () => reporting(({ database }) => ({ outbox: { rows: 7, oldest_at: database.now - 60_000 } })),
    ],
    [
      'has no connection left',
      ['pool'],
      () =>
        reporting(({ kernel }) => ({
          kernel: { ...kernel, pools: { ...kernel.pools, tenants: { ...kernel.pools.tenants, waiting: 9 } } },
        })),
    ],
  ])('that %s fails at %j', async (_, ids, deceit) => {
    await expectFailed(await examineBehind(deceit()), ids);
  });

  it('whose kernel redeems a permit twice fails at the replay', async () => {
    const genuine = await definitionOf('kernel.redeem');
    const broken = genuine.replace(" AND op.nonce = p_nonce THEN 'redeemed'", " THEN 'redeemed'");
    expect(broken).not.toBe(genuine);
    await admin(broken);
    try {
      await expectFailed(await operator.examine(stack.url), ['permit-replayed']);
    } finally {
      await admin(genuine);
    }
  });

  it('whose database lost its row-level security fails at the tenants', async () => {
    const alter = (verb: string): string => `DO $$ DECLARE t regclass; BEGIN
      FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'kernel'::regnamespace AND relforcerowsecurity LOOP
        EXECUTE format('ALTER TABLE %s ${verb} ROW LEVEL SECURITY', t);
      END LOOP; END $$`;
    await admin(alter('DISABLE'));
    try {
      await expectFailed(await operator.examine(stack.url), ['tenants']);
    } finally {
      await admin(alter('ENABLE'));
    }
  });

  it('whose database does not write to the disk fails at the durability', async () => {
    await admin('ALTER SYSTEM SET fsync = off', 'SELECT pg_reload_conf()');
    try {
      await expectFailed(await operator.examine(stack.url), ['durability']);
    } finally {
      await admin('ALTER SYSTEM RESET fsync', 'SELECT pg_reload_conf()');
    }
  });

  it.each([
    ['whose gate lets a request out to loopback', 'egress-gate', 'executor-with-open-gate.mjs'],
    ['whose sandboxes are on a network', 'egress-sandbox', 'executor-with-network.mjs'],
  ])('%s fails at `%s`', async (_, id, program) => {
    await stack.services.executor.kill('SIGTERM');
    const open = await stack.another('executor', {}, [join(PROGRAMS, program)]);
    try {
      await expectFailed(await operator.examine(stack.url), [id]);
    } finally {
      await open.kill('SIGTERM');
      await stack.services.executor.start();
    }
  });

  it('whose clocks are apart fails at the clocks', async () => {
    const port = String(await freePort());
    const moved = ['--import', join(PROGRAMS, 'moved-clock.mjs'), freshService(repositoryRoot(), 'orchestrator')];
    const late = await stack.another('orchestrator', { WRIT_HTTP_PORT: port, WRIT_TEST_MS_BEHIND: '2000' }, moved);
    try {
      await expectFailed(await operator.examine(`http://127.0.0.1:${port}`), ['clocks']);
    } finally {
      await late.kill();
    }
  });

  it('whose certificate ends tomorrow fails at the certificate, and one that is over is named before', async () => {
    const authority = await newCertificateAuthority();
    const trusting = { NODE_EXTRA_CA_CERTS: operator.path('ca.pem') };
    writeFileSync(operator.path('ca.pem'), authority.cert);
    const behind = async (notAfter: Date): Promise<DoctorRun> => {
      const tls = await authority.issue([{ type: 'ip', value: '127.0.0.1' }], { notAfter });
      const proxy = await FrontProxy.open(stack.url, HONEST, tls);
      try {
        return await operator.examine(proxy.url, [], trusting);
      } finally {
        await proxy.close();
      }
    };
    await expectFailed(await behind(new Date(Date.now() + 86_400_000)), ['certificate']);
    const over = await behind(new Date(Date.now() - 60_000));
    expect([over.file, over.err]).toEqual([null, expect.stringMatching(/^error certificate: .* is over since /)]);
    expect(over.exit).not.toBe(0);
  });

  it('whose log is another one than at the last run fails at what was kept', async () => {
    const proxy = await FrontProxy.open(stack.url, rewritesHistory());
    try {
      expect((await operator.examine(proxy.url, ['--state', 'kept.json'])).failed).toEqual([]);
      const kept = readFileSync(operator.path('kept.json'), 'utf8');
      await expectFailed(await operator.examine(proxy.url, ['--state', 'kept.json']), ['log-since-last-run']);
      // A further run finds it again: the kept log is not replaced by a new one.
      expect(readFileSync(operator.path('kept.json'), 'utf8')).toBe(kept);
    } finally {
      await proxy.close();
    }
  });

  it('whose ledger stands still fails at what needs it, and nothing vouches for the report', async () => {
    stack.services.ledger.freeze();
    try {
      const run = await operator.examine(stack.url, ['--state', 'none.json']);
      await expectFailed(run, ['receipt?', 'log?', 'tenants?']);
      expect([run.file.receipt, run.err]).toEqual([null, expect.stringContaining('did not record the report')]);
    } finally {
      stack.services.ledger.thaw();
    }
  });
});
