// SPDX-License-Identifier: Apache-2.0
// Real witnesses, each a separate process, beside a whole Writ: their cosignatures are in receipts, missing ones are
// reported, and a split view is detected.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { formatAddCheckpoint, formatCheckpoint, parseCheckpoint, parseNote, signNote } from '@writ/signing';
import { eventually, makeWorld, startStack, type Stack, type World } from '@writ/stack';
import { freePort, repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1' };

/** `writ ARGS…`, to its end. */
function writ(...args: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env,
    cwd: folder,
  });
  return { status, out: stdout, err: stderr };
}

class WitnessProcess {
  readonly dir: string;
  readonly key: string;
  #child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    readonly port: number,
  ) {
    this.dir = join(folder, name);
    this.key = writ('witness', 'key', '--dir', this.dir, '--name', name).out.trimEnd();
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}/`;
  }

  /** Resolves when it answers. */
  async start(logKey: string): Promise<void> {
    this.#child = spawn(
      process.execPath,
      [program, 'witness', 'serve', '--dir', this.dir, '--log', logKey, '--port', String(this.port)],
      { env, stdio: 'ignore' },
    );
    await eventually(
      `${this.name} listens`,
      async () => ((await fetch(this.url).catch(() => null))?.ok === true ? true : null),
      60_000,
    );
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

let folder: string;
let stack: Stack;
let world: World;
let logKey: string;
let witnesses: [WitnessProcess, WitnessProcess];
let trust: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-witnesses-'));
  witnesses = [
    new WitnessProcess('witness.test/w1', await freePort()),
    new WitnessProcess('witness.test/w2', await freePort()),
  ];
  const file = join(folder, 'witnesses.json');
  writeFileSync(file, JSON.stringify({ witnesses: witnesses.map(({ url, key }) => ({ url, key })) }));
  stack = await startStack({ env: { ledger: { WRIT_WITNESSES_FILE: file, WRIT_WITNESS_QUORUM: '2' } } });
  const published = JSON.parse(readFileSync(stack.keys.publicKeysFile, 'utf8')) as { log_keys: [string] };
  [logKey] = published.log_keys;
  for (const witness of witnesses) await witness.start(logKey);
  trust = join(folder, 'trust.json');
  const terms = { keys: witnesses.map(({ key }) => key), quorum: 2, checkpoint_age_max_ms: 3_600_000 };
  writeFileSync(
    trust,
    JSON.stringify({ v: 1, deployments: [{ name: logKey.split('+')[0], ...published, witnesses: terms }] }),
  );
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});
afterAll(async () => {
  for (const witness of witnesses) await witness.kill();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes a call and answers its id. */
const call = async (name: string): Promise<string> =>
  String((await world.call('fs.write', { path: name, content: 'x' })).body.operation_id);

/** Saves the receipt to a file and verifies it as a third party would. */
async function verifyReceiptOf(operationId: string): Promise<{ status: number | null; out: string; err: string }> {
  const answer = await world.admin.get(`/v1/operations/${operationId}/receipt`);
  if (answer.status !== 200) return { status: -1, out: '', err: answer.text };
  const file = join(folder, 'receipt.json');
  writeFileSync(file, answer.text);
  return writ('verify', file, '--trust', trust, '--operation', operationId);
}
const untilWitnessed = (operationId: string): Promise<{ out: string }> =>
  eventually(
    `witnesses of ${operationId}`,
    async () => {
      const verified = await verifyReceiptOf(operationId);
      return verified.status === 0 ? verified : null;
    },
    120_000,
  );

test('a receipt and the log have the cosignatures of real witnesses', async () => {
  const { out } = await untilWitnessed(await call('1.txt'));
  expect(out).toMatch(/✔ witnesses +2 of 2, 2 needed: `witness\.test\/w1`, `witness\.test\/w2`/);
  expect(out).toContain('✔ freshness');
  expect(
    writ('log', 'verify', '--trust', trust, '--url', stack.url, '--api-key', String(world.auditor.key)),
  ).toMatchObject({ status: 0, err: '' });
});

test('a killed witness is reported missing, calls continue without it, and it resumes later', async () => {
  await untilWitnessed(await call('2.txt'));
  await witnesses[1].kill();
  const operation = await call('3.txt');
  await eventually(
    'the word of the other one',
    async () => {
      const { err } = await verifyReceiptOf(operation);
      return /error verify\.witnesses: .*1 of 2 witnesses that are needed cosigned the checkpoint; missing: `witness\.test\/w2`/.test(
        err,
      )
        ? true
        : null;
    },
    120_000,
  );
  await witnesses[1].start(logKey);
  await untilWitnessed(operation);
  expect(writ('witness', 'evidence', '--dir', witnesses[1].dir)).toEqual({ status: 0, out: 'none\n', err: '' });
});

test('a witness that sees another history of a log keeps both checkpoints as evidence', async () => {
  await untilWitnessed(await call('4.txt'));
  const kept = parseNote(
    await (
      await fetch(`${stack.url}/v1/log/checkpoint`, {
        headers: { authorization: `Bearer ${String(world.auditor.key)}` },
      })
    ).text(),
  );
  const { origin, treeSize } = parseCheckpoint(kept.text);
  // As a thief of the ledger's key would sign it.
  const shown = signNote(formatCheckpoint({ origin, treeSize, root: new Uint8Array(32).fill(7) }), {
    name: String(logKey.split('+')[0]),
    signer: stack.keys.checkpoint,
  });
  const { status } = await fetch(`${witnesses[0].url}add-checkpoint`, {
    method: 'POST',
    body: formatAddCheckpoint({ oldSize: treeSize, hashes: [], note: shown }),
  });
  expect(status).toBe(409);
  const { status: found, out } = writ('witness', 'evidence', '--dir', witnesses[0].dir, '--json');
  const { evidence } = JSON.parse(out) as { evidence: { kind: string; kept: string; shown: string }[] };
  expect([found, evidence.map(({ kind }) => kind), parseNote(evidence[0]!.kept).text, evidence[0]!.shown]).toEqual([
    1,
    ['fork'],
    kept.text,
    shown,
  ]);
  // The history that it saw first is still cosigned.
  await untilWitnessed(await call('5.txt'));
});
