// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { parsePublicKeys, parseRing } from '@writ/signing';
import type { Entries, KeyStore } from './key-store.ts';
import { keySets, type KeySet } from './layout.ts';
import { makeKeys } from './make-keys.ts';

/** A store, and a function that deletes a set like an operator could. */
export interface StoreUnderTest {
  readonly store: KeyStore;
  readonly remove: (set: KeySet) => void;
}

const SETS = keySets({
  deployment: 'writ.spec',
  natsHosts: ['writ-nats'],
  postgresHosts: ['writ-postgres', '127.0.0.1'],
  now: () => new Date(),
});
const setOf = (name: string): KeySet => SETS.find((set) => set.name === name) as KeySet;
const quiet = (): void => undefined;

/** The entries that deployments mount, by set; the chart and the compose file use the same names. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  kernel: [
    'permit.json',
    'record.json',
    'master.key',
    'nats-password',
    'postgres-writ_kernel',
    'postgres-writ_kernel_worker',
  ],
  ledger: ['checkpoint.json', 'nats-password', 'postgres-writ_ledger'],
  executor: ['nats-password', 'postgres-writ_executor'],
  'platform-key': ['platform-api-key'],
  orchestrator: ['webhook.key', 'platform-key.sha256', 'nats-password', 'postgres-writ_orchestrator'],
  migrate: ['writ_orchestrator', 'writ_kernel', 'writ_kernel_worker', 'writ_executor', 'writ_ledger'],
  'ca-key': ['ca.key', 'ca.crt'],
  'nats-server': ['orchestrator', 'kernel', 'executor', 'ledger', 'tls.key', 'tls.crt'],
  'postgres-server': ['password', 'tls.key', 'tls.crt'],
  ca: ['ca.crt'],
  'public-keys': ['permit-keys.json', 'record-keys.json', 'log-keys.json', 'checkpoint-keys.json', 'public-keys.json'],
};

const readSets = async (store: KeyStore): Promise<Record<string, Entries>> =>
  Object.fromEntries(await Promise.all(SETS.map(async (set) => [set.name, (await store.read(set)) ?? {}] as const)));

/** A store that fails after some sets, like a run that is killed. */
const killedAfter = (store: KeyStore, sets: number): KeyStore => {
  let left = sets;
  return {
    read: (set) => store.read(set),
    nameOf: (set) => store.nameOf(set),
    draft: (set, found) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      return store.draft(set, found);
    },
  };
};

async function expectConsistent(store: KeyStore): Promise<void> {
  const sets = await readSets(store);
  const text = (set: string, entry: string): string => sets[set]?.[entry] ?? `no ${set}/${entry}`;
  expect(
    Object.fromEntries(Object.entries(sets).map(([name, entries]) => [name, Object.keys(entries).sort()])),
  ).toEqual(Object.fromEntries(Object.entries(NAMES).map(([name, entries]) => [name, entries.toSorted()])));
  for (const process of ['kernel', 'ledger', 'executor', 'orchestrator'])
    expect(text('nats-server', process)).toBe(text(process, 'nats-password'));
  for (const process of ['kernel', 'ledger', 'executor', 'orchestrator'])
    expect(text('migrate', `writ_${process}`)).toBe(text(process, `postgres-writ_${process}`));
  expect(text('migrate', 'writ_kernel_worker')).toBe(text('kernel', 'postgres-writ_kernel_worker'));
  expect(text('orchestrator', 'platform-key.sha256')).toBe(
    `${createHash('sha256').update(text('platform-key', 'platform-api-key')).digest('hex')}\n`,
  );
  expect(text('ca', 'ca.crt')).toBe(text('ca-key', 'ca.crt'));
  const keyids = parseRing(text('kernel', 'record.json')).keys.map(({ keyid }) => keyid);
  expect([...parsePublicKeys(text('public-keys', 'record-keys.json')).keys()]).toEqual(keyids);
}

/** The requirements on a deployment's keys in any store. */
export function keyStoreContract(kind: string, make: () => StoreUnderTest): void {
  describe(`the keys of a deployment in ${kind}`, () => {
    let under: StoreUnderTest;
    beforeEach(() => {
      under = make();
    });

    it('are made once: a later run changes nothing', async () => {
      expect(await makeKeys(SETS, under.store, quiet)).toEqual(Object.keys(NAMES));
      await expectConsistent(under.store);
      const before = await readSets(under.store);
      expect(await makeKeys(SETS, under.store, quiet)).toEqual([]);
      expect(await readSets(under.store)).toEqual(before);
    });

    it('are completed by the next run after one was killed at any point', async () => {
      for (let sets = 0; sets < SETS.length; sets += 1) {
        under = make();
        await expect(makeKeys(SETS, killedAfter(under.store, sets), quiet)).rejects.toThrow('killed');
        const before = await readSets(under.store);
        await makeKeys(SETS, under.store, quiet);
        const after = await readSets(under.store);
        for (const [name, entries] of Object.entries(before)) expect(after[name]).toMatchObject(entries);
        await expectConsistent(under.store);
      }
    });

    it('of another deployment are refused before anything is made, with both names', async () => {
      await makeKeys(SETS, under.store, quiet);
      under.remove(setOf('executor'));
      const before = await readSets(under.store);
      const renamed = keySets({
        deployment: 'writ.renamed',
        natsHosts: ['writ-nats'],
        postgresHosts: ['writ-postgres', '127.0.0.1'],
        now: () => new Date(),
      });
      await expect(makeKeys(renamed, under.store, quiet)).rejects.toThrow(
        `\`${under.store.nameOf(setOf('public-keys'))}\` is of another deployment: its log keys have the name ` +
          '`writ.spec`, and this run has `writ.renamed`. No receipt of the one verifies with keys of the other. ' +
          'Set `deployment` (WRIT_DEPLOYMENT) to `writ.spec` again',
      );
      expect(await readSets(under.store)).toEqual(before);
    });

    it('are the same for two runs at once', async () => {
      await Promise.all([1, 2, 3].map(() => makeKeys(SETS, under.store, quiet)));
      await expectConsistent(under.store);
    });

    it.each([
      ['kernel', 'permit.json', 'permits that are on their way'],
      ['ledger', 'checkpoint.json', 'the key that signed the log so far'],
      ['orchestrator', 'webhook.key', 'the sealed secrets of webhooks'],
    ])('are not replaced when the private ones of the %s are missing', async (name, entry, lost) => {
      await makeKeys(SETS, under.store, quiet);
      under.remove(setOf(name));
      const before = await readSets(under.store);
      const named = under.store.nameOf(setOf(name));
      await expect(makeKeys(SETS, under.store, quiet)).rejects.toThrow(
        new RegExp(
          `^\`${entry}\` of \`${named}\` is missing, and .* is there\\. A new one would lose ${lost}\\. Restore it`,
        ),
      );
      expect(await readSets(under.store)).toEqual(before);
    });

    it('of a client are made again with the passwords of its servers', async () => {
      await makeKeys(SETS, under.store, quiet);
      const before = await readSets(under.store);
      under.remove(setOf('executor'));
      expect(await makeKeys(SETS, under.store, quiet)).toEqual(['executor']);
      expect(await readSets(under.store)).toEqual(before);
    });

    it('skip a platform key that the operator has moved elsewhere', async () => {
      await makeKeys(SETS, under.store, quiet);
      under.remove(setOf('platform-key'));
      const lines: string[] = [];
      expect(await makeKeys(SETS, under.store, (line) => lines.push(line))).toEqual([]);
      expect(lines).toEqual([
        `${under.store.nameOf(setOf('platform-key'))}: skipped, the orchestrator has another platform key`,
      ]);
    });

    it('of a removed authority are needed only when a certificate has to be signed', async () => {
      await makeKeys(SETS, under.store, quiet);
      under.remove(setOf('ca-key'));
      expect(await makeKeys(SETS, under.store, quiet)).toEqual([]);
      under.remove(setOf('nats-server'));
      await expect(makeKeys(SETS, under.store, quiet)).rejects.toThrow(
        `\`${under.store.nameOf(setOf('nats-server'))}\` needs a certificate, and the key of the authority`,
      );
    });

    it('have no certificates without bundled servers', async () => {
      const made = await makeKeys(
        keySets({ deployment: 'writ.spec', natsHosts: [], postgresHosts: [], now: () => new Date() }),
        under.store,
        quiet,
      );
      expect(made).toEqual(['kernel', 'ledger', 'executor', 'platform-key', 'orchestrator', 'migrate', 'public-keys']);
      // They are made once there is a server, and its passwords are those of its clients.
      expect(await makeKeys(SETS, under.store, quiet)).toEqual(['ca-key', 'nats-server', 'postgres-server', 'ca']);
      await expectConsistent(under.store);
    });
  });
}
