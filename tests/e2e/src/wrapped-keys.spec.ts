// SPDX-License-Identifier: Apache-2.0
// Signing keys wrapped by a device (ADR 0072), as an operator sets them up: a kernel and a ledger with key files in
// clear continue with files that only the device can open.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { keySetOf, parseReceipt, verifyReceiptFile } from '@writ/receipt';
import {
  Api,
  eventually,
  makeWorld,
  receiptOfCall,
  startStack,
  type Service,
  type Stack,
  type World,
} from '@writ/stack';
import { hasSoftToken, repositoryRoot, SOFT_TOKEN, softToken, type SoftToken } from '@writ/testing';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const LONG_MS = 90_000;
const NAMES = ['ledger', 'kernel'] as const;

(hasSoftToken() ? describe : describe.skip)(`signing keys ${SOFT_TOKEN}`, () => {
  let stack: Stack;
  let world: World;
  let folder: string;
  let token: SoftToken;
  let deviceFile: string;
  const wrapped: Record<string, Service> = {};
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-wrapped-e2e-'));
    token = softToken(folder);
    deviceFile = join(folder, 'device.json');
    writeFileSync(deviceFile, JSON.stringify({ pkcs11: token.device }));
    stack = await startStack();
    world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  });
  afterAll(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** `writ signing-keys …` with the device. */
  function signingKeys(...args: string[]): void {
    const keys = stack.keys.file('');
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js'),
        'signing-keys',
        ...args,
        '--wrap',
        deviceFile,
        '--keys',
        keys,
        '--public',
        keys,
      ],
      { encoding: 'utf8', env: {} },
    );
    if (status !== 0) throw new Error(`signing-keys ${args.join(' ')} ended with ${String(status)}: ${stderr}`);
  }

  /** Makes a call and verifies its receipt with the published keys; returns the record's signer. */
  async function signerOfCall(): Promise<string> {
    const { file } = await receiptOfCall(world, LONG_MS);
    const keys = keySetOf((await new Api(stack.url).get('/.well-known/writ-keys.json')).body);
    expect(verifyReceiptFile(file, keys).record).toMatchObject({ tx_outcome: 'committed' });
    return parseReceipt(file).envelope.signatures[0]?.keyid ?? '';
  }

  test('wrapped key files are refused without the device, and keep the same keys with it', async () => {
    const before = await signerOfCall();
    for (const name of NAMES) await stack.services[name].kill();
    signingKeys('wrap');
    for (const file of ['permit.json', 'record.json', 'checkpoint.json'])
      expect(readFileSync(stack.keys.file(file), 'utf8')).not.toContain('PRIVATE');
    for (const name of NAMES) await expect(stack.services[name].start()).rejects.toThrow('WRIT_KEY_WRAP_FILE');
    for (const name of NAMES) wrapped[name] = await stack.another(name, { WRIT_KEY_WRAP_FILE: deviceFile });
    expect(await signerOfCall()).toBe(before);
  });

  test('a key that is created under the device signs, without a restart', async () => {
    const before = await signerOfCall();
    signingKeys('rotate', 'record', '--overlap', '5s');
    await eventually('a record by the new key', async () => ((await signerOfCall()) === before ? null : true), LONG_MS);
  });

  test('without the device running processes continue and none starts; the PIN is in no log', async () => {
    const away = `${token.folder}-away`;
    renameSync(token.folder, away);
    try {
      await signerOfCall();
      await wrapped['kernel']!.kill();
      await expect(wrapped['kernel']!.start()).rejects.toThrow(/didn't become ready/);
    } finally {
      renameSync(away, token.folder);
    }
    await wrapped['kernel']!.start();
    await signerOfCall();
    expect(stack.logs()).not.toContain(token.pin);
  });
});
