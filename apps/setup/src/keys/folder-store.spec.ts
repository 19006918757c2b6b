// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderStore } from './folder-store.ts';
import { keyStoreContract } from './key-store.contract.ts';
import { keySets } from './layout.ts';
import { makeKeys } from './make-keys.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-setup-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});
let folders = 0;
const newFolder = (): string => join(dir, String((folders += 1)));
const SETS = keySets({ deployment: 'writ.spec', natsHosts: [], postgresHosts: [], now: () => new Date() });
const quiet = (): void => undefined;

keyStoreContract('a folder', () => {
  const root = newFolder();
  return { store: new FolderStore(root), remove: (set) => rmSync(join(root, set.name), { recursive: true }) };
});

it('files of private keys are readable by their owner only, and a run leaves no other file', async () => {
  const root = newFolder();
  // A separate volume is mounted for each set.
  for (const { name } of SETS) mkdirSync(join(root, name), { recursive: true });
  await makeKeys(SETS, new FolderStore(root), quiet);
  for (const set of SETS) {
    expect(readdirSync(join(root, set.name)).sort()).toEqual(set.entries.map(({ name }) => name).sort());
    for (const { name } of set.entries)
      expect(statSync(join(root, set.name, name)).mode & 0o777).toBe(set.open ? 0o644 : 0o600);
  }
});

it('a missing private key among existing ones is not replaced', async () => {
  const root = newFolder();
  await makeKeys(SETS, new FolderStore(root), quiet);
  rmSync(join(root, 'kernel', 'master.key'));
  await expect(makeKeys(SETS, new FolderStore(root), quiet)).rejects.toThrow(
    `\`master.key\` of \`${join(root, 'kernel')}\` is missing`,
  );
});

it('an unusable folder is named in the failure with instructions', async () => {
  const root = newFolder();
  writeFileSync(root, 'a file');
  await expect(makeKeys(SETS, new FolderStore(root), quiet)).rejects.toThrow(
    `\`${join(root, 'public-keys')}\` can't be read (ENOTDIR): give this user the folder that \`--out\` names`,
  );
  chmodSync(root, 0o600);
});
