// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Receipt } from '@writ/contract';
import { CHECKS } from '@writ/receipt';
import { cosign, formatCosignerKey, parseSigner } from '@writ/signing';
import { LOG_KEYS, receiptIn, recordOf } from '../specs/fake-log.ts';
import { writ } from '../specs/run-cli.ts';
import { KEY_FILE, RECEIPT_FILE } from '../specs/pinned-receipt.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-verify-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const save = (name: string, content: string | Uint8Array): string => {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
};
const verify = (receipt: string | Uint8Array, ...args: string[]) =>
  writ(['verify', save('receipt.json', receipt), '--keys', save('keys.json', KEY_FILE), ...args]);
const failedCheck = async (receipt: string | Uint8Array): Promise<string> =>
  /^error verify\.([a-z_]+): /.exec((await verify(receipt)).err)?.[1] ?? 'none';

test('a genuine receipt verifies, and the output lists every check', async () => {
  const { exit, out, err } = await verify(RECEIPT_FILE);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  for (const name of Object.keys(CHECKS))
    expect([name, out.includes(`✔ ${name}`)]).toEqual([
      name,
      !['expectation', 'witnesses', 'freshness'].includes(name),
    ]);
  expect(out).toContain('committed');
});

test.each([
  ['host', 'counted by the host, outside of the sandbox'],
  ['agent', 'counted by the agent inside of the sandbox, within its limits: the call may have made it say less'],
] as const)('the output names who counted usage: the %s', async (usage_counted_by, words) => {
  const records = [recordOf(0, { budget_delta: { cpu_ms: 5 }, usage_counted_by })];
  const { exit, out } = await writ([
    'verify',
    save('counted.json', receiptIn(records, 0)),
    '--keys',
    save('log-keys.json', LOG_KEYS),
  ]);
  expect([exit, out.includes(words)]).toEqual([0, true]);
});

test("the output doesn't name who counted usage if the record doesn't", async () => {
  expect((await verify(RECEIPT_FILE)).out).not.toContain('counted');
});

test('with --json, `writ verify` prints one value, also when it fails', async () => {
  const good = JSON.parse((await verify(RECEIPT_FILE, '--json')).out) as { ok: boolean; receipts: unknown[] };
  expect(good).toMatchObject({ ok: true, receipts: [{ ok: true, failed: null, record: { tx_outcome: 'committed' } }] });
  const bad = await verify(RECEIPT_FILE.replace('writ.local', 'evil.local'), '--json');
  expect(bad.exit).toBe(1);
  expect(JSON.parse(bad.out)).toMatchObject({ ok: false, receipts: [{ ok: false, record: null }] });
});

const receipt = JSON.parse(RECEIPT_FILE) as Receipt;
/** The types describe a valid receipt; tampered ones need not conform to them. */
type Tampered = {
  media_type: string;
  envelope: { payloadType: string; payload: string; signatures: { keyid: string; sig: string }[] };
  inclusion: Receipt['inclusion'];
};
const spelled = (change: (copy: Tampered) => void): string => {
  const copy: Tampered = structuredClone(receipt);
  change(copy);
  return `${JSON.stringify(copy)}\n`;
};
const flip = (base64: string): string => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[bytes.length >> 1]! ^= 1;
  return bytes.toString('base64');
};

test.each<[string, string, string]>([
  [
    'the media type',
    spelled((r) => {
      r.media_type = 'application/json';
    }),
    'format',
  ],
  [
    'the payload type',
    spelled((r) => {
      r.envelope.payloadType = 'application/json';
    }),
    'payload_type',
  ],
  [
    'the payload',
    spelled((r) => {
      r.envelope.payload = flip(r.envelope.payload);
    }),
    'signature',
  ],
  [
    'the signature',
    spelled((r) => {
      r.envelope.signatures[0]!.sig = flip(r.envelope.signatures[0]!.sig);
    }),
    'signature',
  ],
  [
    'the key id',
    spelled((r) => {
      r.envelope.signatures[0]!.keyid = 'other';
    }),
    'signature',
  ],
  [
    'the leaf index',
    spelled((r) => {
      r.inclusion.leaf_index = 2;
    }),
    'inclusion',
  ],
  [
    'the tree size',
    spelled((r) => {
      r.inclusion.tree_size = 6;
    }),
    'tree_size',
  ],
  [
    'a hash of the path',
    spelled((r) => {
      r.inclusion.hashes[1] = flip(r.inclusion.hashes[1]!);
    }),
    'inclusion',
  ],
  [
    'a hash taken out',
    spelled((r) => {
      r.inclusion.hashes.pop();
    }),
    'inclusion',
  ],
  [
    "the checkpoint's origin",
    spelled((r) => {
      r.inclusion.checkpoint = r.inclusion.checkpoint.replace('/log_01', '/log_02');
    }),
    'checkpoint',
  ],
  ["the checkpoint's signature", RECEIPT_FILE.replace('9QS1mz6i', '9QS1mz6j'), 'checkpoint'],
  ['a member more', RECEIPT_FILE.replace('{', '{"more":1,'), 'format'],
  ['a member twice', RECEIPT_FILE.replace('{', '{"media_type":"",'), 'format'],
  ['everything', 'nothing\n', 'format'],
])('a receipt with %s changed fails, and the output names the check', async (_, file, check) => {
  expect(await failedCheck(file)).toBe(check);
});

test('a receipt whose JSON was reformatted verifies, with a note', async () => {
  const pretty = JSON.stringify(receipt, null, 2);
  const { exit, out, err } = await verify(pretty);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toContain('note           the file was reformatted; its content is unchanged');
  const json = JSON.parse((await verify(pretty, '--json')).out) as unknown;
  expect(json).toMatchObject({ ok: true, receipts: [{ note: expect.stringContaining('reformatted') as string }] });
  expect((await verify(RECEIPT_FILE)).out).not.toContain('reformatted');
  expect(await failedCheck(pretty.replace('"leaf_index": 3', '"leaf_index": 2'))).toBe('inclusion');
});

test('a receipt with any single byte changed fails', async () => {
  const bytes = Buffer.from(RECEIPT_FILE);
  const files: string[] = [];
  // Every seventeenth byte: a prime, so that no member's length hides a class of bytes. libs/receipt changes each one.
  for (let at = 0; at < bytes.length; at += 17) {
    const copy = Buffer.from(bytes);
    copy[at]! ^= 1;
    files.push(save(`byte-${at}.json`, copy));
  }
  const { exit, out } = await writ(['verify', '--json', '--keys', save('keys.json', KEY_FILE), ...files]);
  expect(exit).toBe(1);
  expect((JSON.parse(out) as { receipts: { ok: boolean }[] }).receipts.filter(({ ok }) => ok)).toEqual([]);
});

test('a genuine receipt of another operation, log or deployment than requested fails', async () => {
  for (const [option, value] of [
    ['--operation', 'op_other'],
    ['--log', 'log_other'],
    ['--deployment', 'other'],
  ] as const) {
    expect((await verify(RECEIPT_FILE, option, value)).err).toMatch(/^error verify\.expectation: /);
  }
  expect((await verify(RECEIPT_FILE, '--deployment', 'writ.local')).exit).toBe(0);
});

test('an invalid key file fails its check; missing files are a usage error', async () => {
  const receiptPath = save('receipt.json', RECEIPT_FILE);
  expect((await writ(['verify', receiptPath, '--keys', save('bad.json', '{}')])).err).toMatch(/^error verify\.keys: /);
  expect((await writ(['verify', receiptPath, '--keys', '/no/such'])).exit).toBe(2);
  expect((await writ(['verify', '/no/such', '--keys', save('keys.json', KEY_FILE)])).exit).toBe(2);
});

describe('a trust policy', () => {
  const trusting = (change: object = {}, name = 'writ.local'): string =>
    save(
      'trust.json',
      JSON.stringify({ v: 1, deployments: [{ name, ...(JSON.parse(KEY_FILE) as object), ...change }] }),
    );
  const run = (trust: string, file = RECEIPT_FILE, ...args: string[]) =>
    writ(['verify', save('receipt.json', file), '--trust', trust, ...args]);
  const signer = parseSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  const witnesses = (more: object = {}) => ({
    witnesses: { keys: [formatCosignerKey('witness.spec', signer.publicKey)], quorum: 1, ...more },
  });
  /** The receipt, cosigned by the witness the given number of seconds ago. */
  const cosigned = (agoS: number): string =>
    spelled((r) => {
      const text = r.inclusion.checkpoint.slice(0, r.inclusion.checkpoint.indexOf('\n\n') + 1);
      r.inclusion.checkpoint += cosign(text, { name: 'witness.spec', signer }, Math.floor(Date.now() / 1000) - agoS);
    });

  test('replaces a key file', async () => {
    const { exit, out } = await run(trusting());
    expect([exit, out.includes('witnesses')]).toEqual([0, false]);
  });

  test('requires witnesses, and names the missing ones', async () => {
    const { exit, out, err } = await run(trusting(witnesses()));
    expect([exit, err]).toEqual([
      1,
      expect.stringMatching(/^error verify\.witnesses: .*0 of 1 .*missing: `witness\.spec`/),
    ]);
    expect([out.includes('✔ origin'), out.includes('✔ tree_size')]).toEqual([true, false]);
    const good = await run(trusting(witnesses({ checkpoint_age_max_ms: 3_600_000 })), cosigned(60));
    expect(good).toMatchObject({
      exit: 0,
      err: '',
      out: expect.stringMatching(/✔ witnesses.*\n.*✔ freshness/) as string,
    });
    expect((await run(trusting(witnesses({ checkpoint_age_max_ms: 3_600_000 })), cosigned(4000))).err).toMatch(
      /^error verify\.freshness: /,
    );
  });

  test("that names no deployment of the receipt's log fails, and no check is listed as passed", async () => {
    const { err, out } = await run(trusting({ log_keys: [] }, 'other.example'));
    expect([err, out.includes('✔')]).toEqual([expect.stringMatching(/^error verify\.keys: .*no deployment/), false]);
  });

  test('and a key file exclude each other, and one is required', async () => {
    expect(await run(trusting(), RECEIPT_FILE, '--keys', save('keys.json', KEY_FILE))).toMatchObject({ exit: 2 });
    expect(await writ(['verify', save('receipt.json', RECEIPT_FILE)])).toMatchObject({ exit: 2 });
  });
});

describe('a folder of receipts', () => {
  const folderOf = (name: string, files: Readonly<Record<string, string>>): string => {
    const folder = join(dir, name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return folder;
  };
  const run = (folder: string, ...args: string[]) =>
    writ(['verify', folder, '--keys', save('keys.json', KEY_FILE), ...args]);

  test('is verified recursively, with one line per receipt and a total', async () => {
    const folder = folderOf('good', {
      'b.json': RECEIPT_FILE,
      'a/1.json': RECEIPT_FILE,
      'a/deep/er/2.json': RECEIPT_FILE,
      'a/notes.txt': 'no receipt',
    });
    symlinkSync(folder, join(folder, 'again'));
    const { exit, out, err } = await run(folder);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.split('  ')[0])).toEqual(
      ['a/1.json', 'a/deep/er/2.json', 'b.json']
        .map((path) => `✔ ${join(folder, path)}`)
        .concat('3 verified, 0 failed'),
    );
  });

  test('fails if one receipt fails, and the others are still verified', async () => {
    const folder = folderOf('mixed', {
      '1.json': RECEIPT_FILE,
      '2.json': RECEIPT_FILE.replace('writ.local', 'evil.local'),
      '3.json': RECEIPT_FILE,
      '4.json': '{}',
    });
    const { exit, out, err } = await run(folder, '--json');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { ok: boolean; file?: string });
    expect(exit).toBe(1);
    expect(lines.map(({ ok }) => ok)).toEqual([true, false, true, false, false]);
    expect(lines.at(-1)).toEqual({ ok: false, verified: 2, failed: 2 });
    expect(
      err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['error verify.checkpoint', 'error verify.format']);
  });

  test('without a receipt is an error', async () => {
    expect(await run(folderOf('none', { 'readme.txt': '' }))).toMatchObject({
      exit: 1,
      out: '',
      err: expect.stringMatching(/^error verify\.empty: /) as string,
    });
  });
});

/** All files of this repository that a file imports, including itself. */
function reach(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type)[^;]*? from '([^']+)'/gm,
  )) {
    if (target.startsWith('.')) reach(resolve(dirname(file), target), seen);
    if (target.startsWith('@writ/'))
      reach(resolve(import.meta.dirname, '../../../../libs', target.slice('@writ/'.length), 'src/index.ts'), seen);
  }
  return seen;
}

test('no module that `writ verify` loads uses a network', () => {
  const files = [...reach(join(import.meta.dirname, 'verify.ts'))];
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    expect(existsSync(file)).toBe(true);
    const source = readFileSync(file, 'utf8');
    expect({
      file,
      speaks: /\bfetch\(|node:(?:net|http|https|http2|tls|dgram|dns)\b|WebSocket|EventSource/.test(source),
    }).toEqual({ file, speaks: false });
  }
});
