// SPDX-License-Identifier: Apache-2.0
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatRing, KeyStoreError, type KeyRing } from '@writ/signing';
import { keyStoreContract } from '@writ/signing/contract';
import { hasSoftToken, SOFT_TOKEN, softToken } from '@writ/testing';
import { firstRing, KeyFile, newKey, readRing, replaceFile, writeRing, type NewKey } from './key-file.ts';
import { readKeyWrap } from './key-wrap-file.ts';
import { isWrapped, KeyWrap, wrapText } from './key-wrap.ts';

const dir = mkdtempSync(join(tmpdir(), 'writ-wrapped-'));
afterAll(() => {
  rmSync(dir, { recursive: true });
});
let files = 0;
const place = (): string => join(dir, `${String((files += 1))}.json`);

/** A device that runs in this process. */
class RsaWrap extends KeyWrap {
  readonly #pair = generateKeyPairSync('rsa', { modulusLength: 2048 });

  override wrap(secret: Uint8Array): Uint8Array {
    return publicEncrypt({ key: this.#pair.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, secret);
  }

  override unwrapAtStart(wrapped: Uint8Array): Uint8Array {
    try {
      return privateDecrypt({ key: this.#pair.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, wrapped);
    } catch (cause) {
      throw new KeyStoreError('the device refuses', { cause });
    }
  }

  override async unwrap(wrapped: Uint8Array): Promise<Uint8Array> {
    return this.unwrapAtStart(wrapped);
  }
}

const pems = new Map<string, string>();
const made = (): NewKey => {
  const key = newKey();
  pems.set(key.signer.keyid, key.pem);
  return key;
};

function contractUnder(name: string, wrap: KeyWrap): void {
  keyStoreContract(
    name,
    () => made().signer,
    (ring) => {
      const path = place();
      const put = (next: KeyRing | 'nonsense'): void =>
        writeRing(
          path,
          next === 'nonsense' ? '{"v":1,"keys":[' : formatRing(next, (keyid) => pems.get(keyid) ?? null),
          wrap,
        );
      put(ring);
      return { store: new KeyFile(path, wrap), put };
    },
  );
}

contractUnder('a wrapped file', new RsaWrap());

describe('a wrapped file of keys', () => {
  const wrap = new RsaWrap();
  const written = (): { path: string; key: NewKey } => {
    const [path, key] = [place(), made()];
    writeRing(path, firstRing(key), wrap);
    return { path, key };
  };

  it('cannot be read without the device, and can be changed with it', () => {
    const { path, key } = written();
    const seed = Buffer.from(key.pem.split('\n')[1] ?? '', 'base64').subarray(-32);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('PRIVATE');
    expect(Buffer.from((JSON.parse(text) as { sealed: string }).sealed, 'base64').includes(seed)).toBe(false);
    expect(readRing(path, wrap).pemOf(key.signer.keyid)).toBe(key.pem);
    expect(() => readRing(path)).toThrow('it is wrapped by a device');
  });

  it('is refused without the device, with another, or when changed; so is a clear file beside a device', async () => {
    const { path } = written();
    expect(() => new KeyFile(path)).toThrow('WRIT_KEY_WRAP_FILE');
    expect(() => new KeyFile(path, new RsaWrap())).toThrow(KeyStoreError);
    const store = new KeyFile(path, wrap);
    const file = JSON.parse(readFileSync(path, 'utf8')) as { sealed: string };
    const sealed = Buffer.from(file.sealed, 'base64');
    sealed[20]! ^= 1;
    replaceFile(path, JSON.stringify({ ...file, sealed: sealed.toString('base64') }), 0o600);
    await expect(store.refresh()).rejects.toThrow('it does not open');
    const clear = place();
    replaceFile(clear, firstRing(made()), 0o600);
    expect(() => new KeyFile(clear, wrap)).toThrow('it lies in clear');
    expect(readRing(clear, wrap).ring.keys).toHaveLength(1);
  });

  it('differs each time that it is written', () => {
    expect(wrapText('same', wrap)).not.toBe(wrapText('same', wrap));
    expect(isWrapped(wrapText('same', wrap))).toBe(true);
  });
});

(hasSoftToken() ? describe : describe.skip)(SOFT_TOKEN, () => {
  const { device, pin } = hasSoftToken() ? softToken(dir) : { device: {}, pin: '' };
  const wrapBy = (over: object): KeyWrap => {
    const path = place();
    writeFileSync(path, JSON.stringify({ pkcs11: { ...device, ...over } }));
    return readKeyWrap(path);
  };
  if (hasSoftToken()) contractUnder('a key file wrapped by a PKCS #11 token', wrapBy({}));

  it('with another PIN, key or library nothing is unwrapped, and the PIN is in no message', async () => {
    const wrapped = wrapBy({}).wrap(Buffer.from('a key'));
    expect(Buffer.from(await wrapBy({}).unwrap(wrapped)).toString()).toBe('a key');
    const wrongPin = join(dir, 'wrong-pin');
    writeFileSync(wrongPin, '131313', { mode: 0o600 });
    for (const over of [
      { pin_file: wrongPin },
      { key_id: '02' },
      { token: 'other' },
      { module: '/nowhere.so' },
      { program: '/nowhere' },
    ]) {
      for (const unwrap of [() => wrapBy(over).unwrap(wrapped), async () => wrapBy(over).unwrapAtStart(wrapped)]) {
        const error: unknown = await unwrap().catch((thrown: unknown) => thrown);
        expect([over, error]).toEqual([over, expect.any(KeyStoreError)]);
        expect((error as Error).message).not.toMatch(/424242|131313/);
      }
    }
  });

  it('a PIN that others may read is not used', () => {
    const open = join(dir, 'open-pin');
    writeFileSync(open, pin, { mode: 0o644 });
    expect(() => wrapBy({ pin_file: open }).unwrapAtStart(new Uint8Array(256))).toThrow('others may read it');
  });
});

it.each([
  ['nothing', ''],
  ['no kind', '{}'],
  ['an unknown kind', '{"kms":{}}'],
  ['an additional member', '{"pkcs11":{"module":"m","token":"t","key_id":"01","pin_file":"p","pin":"1"}}'],
])('a file that names a device with %s is refused', (_what, text) => {
  const path = place();
  writeFileSync(path, text);
  expect(() => readKeyWrap(path)).toThrow(KeyStoreError);
});
