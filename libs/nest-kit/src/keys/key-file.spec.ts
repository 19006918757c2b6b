// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatRing, publicKeysOf, ringOf, withNext, withRevoked, type KeyRing } from '@writ/signing';
import { keyStoreContract } from '@writ/signing/contract';
import {
  firstRing,
  FollowedFile,
  isOpenToOthers,
  KeyFile,
  newKey,
  readRing,
  replaceFile,
  type NewKey,
} from './key-file.ts';
import { PublicKeyFile } from './public-key-file.ts';
import { PublicRingFile } from './public-ring-file.ts';
import { publishRings } from './publish.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-key-file-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});
let files = 0;
const place = (): string => join(dir, `${String((files += 1))}.json`);

const pems = new Map<string, string>();
const made = (): NewKey => {
  const key = newKey();
  pems.set(key.signer.keyid, key.pem);
  return key;
};
const textOf = (ring: KeyRing): string => formatRing(ring, (keyid) => pems.get(keyid) ?? null);

keyStoreContract(
  'a file',
  () => made().signer,
  (ring) => {
    const path = place();
    replaceFile(path, textOf(ring), 0o600);
    return {
      store: new KeyFile(path),
      put: (next) => replaceFile(path, next === 'nonsense' ? '{"v":1,"keys":[' : textOf(next), 0o600),
    };
  },
);

/**
 * Writes a file as the kubelet does into a mounted Secret. It writes into a new folder and then points the link
 * `..data` at that in one step. Processes read the file through that link. The earlier folder is removed.
 */
function putMounted(mount: string, name: string, text: string): void {
  const generation = `..${String((files += 1))}`;
  mkdirSync(join(mount, generation), { recursive: true });
  writeFileSync(join(mount, generation, name), text, { mode: 0o600 });
  const data = join(mount, '..data');
  const before = statSync(data, { throwIfNoEntry: false }) === undefined ? null : readlinkSync(data);
  symlinkSync(generation, `${data}_tmp`);
  renameSync(`${data}_tmp`, data);
  if (before === null) symlinkSync(join('..data', name), join(mount, name));
  else rmSync(join(mount, before), { recursive: true });
}

keyStoreContract(
  'a file of a mounted Secret',
  () => made().signer,
  (ring) => {
    const mount = mkdtempSync(join(dir, 'mount-'));
    const put = (text: string): void => {
      putMounted(mount, 'record.json', text);
    };
    put(textOf(ring));
    return {
      store: new KeyFile(join(mount, 'record.json')),
      put: (next) => {
        put(next === 'nonsense' ? '{"v":1,"keys":[' : textOf(next));
      },
    };
  },
);

describe('a file of private keys', () => {
  it.each([0o644, 0o640, 0o622, 0o604])(
    'that others may reach (%o) is not read, neither at first nor later',
    async (mode) => {
      const path = place();
      replaceFile(path, firstRing(made()), 0o600);
      const store = new KeyFile(path);
      chmodSync(path, mode);
      expect(() => new KeyFile(path)).toThrow('others may read it');
      writeFileSync(path, firstRing(made()));
      await expect(store.refresh()).rejects.toThrow('others may read it');
    },
  );

  it('that was deleted leaves the keys that were read in force', async () => {
    const path = place();
    replaceFile(path, firstRing(made()), 0o600);
    const store = new KeyFile(path);
    const { ring } = store;
    rmSync(path);
    await expect(store.refresh()).rejects.toThrow('ENOENT');
    expect(store.ring).toBe(ring);
  });

  it('of one PEM is changed into a ring that has it', () => {
    const [path, key] = [place(), made()];
    writeFileSync(path, key.pem, { mode: 0o600 });
    const { ring, pemOf } = readRing(path);
    expect(formatRing(ring, pemOf)).toBe(firstRing(key));
  });
});

describe('a replaced file', () => {
  it('has the new content and the requested rights; a reader that had opened the old file still reads it', () => {
    const [path, held] = [place(), place()];
    replaceFile(path, 'old', 0o644);
    linkSync(path, held);
    replaceFile(path, 'new', 0o600);
    expect([readFileSync(path, 'utf8'), readFileSync(held, 'utf8'), statSync(path).mode & 0o777]).toEqual([
      'new',
      'old',
      0o600,
    ]);
  });

  it('is no link, and is in an existing folder', () => {
    const link = place();
    symlinkSync(place(), link);
    expect(() => replaceFile(link, 'x', 0o600)).toThrow('is a link');
    expect(() => replaceFile(join(dir, 'none', 'x'), 'x', 0o600)).toThrow("can't be written (ENOENT)");
  });
});

describe('a file of public keys', () => {
  it('updates one map atomically, and leaves it unchanged where the file is malformed', async () => {
    const [path, one, two] = [place(), made(), made()];
    const ring = withNext(ringOf(one.signer), { signer: two.signer, now: 10, overlapMs: 5 });
    const put = (published: unknown): void => replaceFile(path, JSON.stringify(published), 0o644);
    put(publicKeysOf(ringOf(one.signer)));
    const [all, open] = [new PublicKeyFile(path), new PublicKeyFile(path, ({ closesAt }) => closesAt === null)];
    const map = all.byKeyid;
    put(publicKeysOf(withRevoked(ring, { keyid: one.signer.keyid, now: 20, from: 20, settleMs: 5 })));
    expect([await all.refresh(), await open.refresh()]).toEqual([true, true]);
    expect([[...map.keys()], [...open.byKeyid.keys()]]).toEqual([
      [one.signer.keyid, two.signer.keyid],
      [two.signer.keyid],
    ]);
    expect(map.get(one.signer.keyid)?.closesAt).toBe(25);
    put({ keys: [{ keyid: 'other', jwk: one.signer.publicJwk }] });
    await expect(all.refresh()).rejects.toThrow('not the thumbprint');
    expect([...map.keys()]).toEqual([one.signer.keyid, two.signer.keyid]);
  });

  it('names the file that cannot be read', () => {
    expect(() => new PublicKeyFile(join(dir, 'none.json'))).toThrow("none.json` can't be read (ENOENT)");
    expect(() => new FollowedFile(join(dir, 'none.json'), String)).toThrow('ENOENT');
  });
});

describe('a ring without private keys', () => {
  it("is the published part of the ledger's ring, and is followed", async () => {
    const [folder, one, two] = [mkdtempSync(join(tmpdir(), 'writ-rings-')), made(), made()];
    const files = {
      permit: join(folder, 'p'),
      record: join(folder, 'r'),
      log: join(folder, 'l'),
      checkpoint: join(folder, 'c'),
      all: join(folder, 'a'),
    };
    const publish = (checkpoint: KeyRing): void =>
      publishRings({ permit: ringOf(one.signer), record: ringOf(one.signer), checkpoint }, 'writ.spec', files);
    publish(ringOf(one.signer));
    const file = new PublicRingFile(files.checkpoint);
    expect(file.ring.keys).toEqual([{ ...ringOf(one.signer).keys[0], signer: null }]);
    expect(await file.refresh()).toBe(false);
    const ring = withRevoked(withNext(ringOf(one.signer), { signer: two.signer, now: 10, overlapMs: 5 }), {
      keyid: one.signer.keyid,
      now: 20,
      from: 15,
      settleMs: 5,
    });
    publish(ring);
    expect(await file.refresh()).toBe(true);
    expect(file.ring.keys).toEqual(ring.keys.map((key) => ({ ...key, signer: null })));
    expect(readFileSync(files.checkpoint, 'utf8')).not.toContain('PRIVATE');
    rmSync(folder, { recursive: true });
  });

  it('is refused with a private key in it, and leaves in force what was read before', async () => {
    const [path, one] = [place(), made()];
    replaceFile(path, firstRing(one), 0o644);
    expect(() => new PublicRingFile(path)).toThrow('holds a private key');
    replaceFile(
      path,
      formatRing({ keys: [{ ...ringOf(one.signer).keys[0]!, signer: null }] }, () => null),
      0o644,
    );
    const file = new PublicRingFile(path);
    replaceFile(path, firstRing(one), 0o644);
    await expect(file.refresh()).rejects.toThrow('holds a private key');
    expect(file.ring.keys[0]?.keyid).toBe(one.signer.keyid);
  });
});

describe('isOpenToOthers, for a file of private keys', () => {
  const own = { uid: 65_532, groups: [65_532, 2_000] };
  it.each([
    ['its owner alone', 0o600, 65_532n, 65_532n, false],
    ['root alone, who mounted it', 0o400, 0n, 0n, false],
    ['the group of the pod, where Kubernetes mounted it', 0o440, 0n, 2_000n, false],
    ['a group that this process does not belong to', 0o440, 0n, 3_000n, true],
    ["a group, where it is somebody's own", 0o440, 65_532n, 2_000n, true],
    ['a group that may write it', 0o460, 0n, 2_000n, true],
    ['everybody', 0o444, 0n, 2_000n, true],
  ])('%s: %o of %d:%d', (_who, mode, uid, gid, isOpen) => {
    expect(isOpenToOthers({ mode: BigInt(0o100_000 | mode), uid, gid }, own)).toBe(isOpen);
  });

  it('as root, a group is others', () => {
    expect(isOpenToOthers({ mode: 0o100_440n, uid: 0n, gid: 0n }, { uid: 0, groups: [0] })).toBe(true);
  });
});
