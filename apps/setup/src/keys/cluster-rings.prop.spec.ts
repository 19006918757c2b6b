// SPDX-License-Identifier: Apache-2.0
import type { V1ConfigMap, V1Secret } from '@kubernetes/client-node';
import { firstRing, newKey, publishedTexts } from '@writ/nest-kit/keys';
import { parsePublicKeys, parseRing, PURPOSES, type KeyRing, type Purpose } from '@writ/signing';
import fc from 'fast-check';
import { Failure } from '../failure.ts';
import { ScheduledApi, type Run } from '../specs/scheduled-api.ts';
import { revoke, rotate } from './change-rings.ts';
import { ClusterRings } from './cluster-rings.ts';
import { PUBLISHED } from './layout.ts';

const DEPLOYMENT = 'writ.spec';
const NOW = Date.parse('2026-05-01T12:00:00Z');
const OPTIONS = { now: NOW, overlapMs: 900_000 };
const FIRST = { permit: firstRing(newKey()), record: firstRing(newKey()), checkpoint: firstRing(newKey()) };
const firstId = (purpose: Purpose): string => parseRing(FIRST[purpose]).keys[0]?.keyid ?? '';
const encode = (text: string): string => Buffer.from(text).toString('base64');

interface Change {
  readonly what: 'rotate' | 'revoke';
  readonly purpose: Purpose;
  /** the key to revoke, instead of the first one */
  readonly kid?: string;
}

/** A release with a key for each purpose. */
function deployed(): ScheduledApi {
  const api = new ScheduledApi();
  const secret = (purposes: readonly Purpose[]): V1Secret => ({
    data: Object.fromEntries(purposes.map((purpose) => [`${purpose}.json`, encode(FIRST[purpose])])),
  });
  api.put('r-kernel', secret(['permit', 'record']));
  api.put('r-ledger', secret(['checkpoint']));
  const rings = {
    permit: parseRing(FIRST.permit),
    record: parseRing(FIRST.record),
    checkpoint: parseRing(FIRST.checkpoint),
  };
  const texts = publishedTexts(rings, DEPLOYMENT);
  const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
  api.put('r-public-keys', { data: Object.fromEntries(names.map((name) => [PUBLISHED[name], texts[name]])) });
  return api;
}

const started = (server: ScheduledApi, { what, purpose, kid }: Change): Promise<Run> =>
  server.start((api) =>
    new ClusterRings({ api, namespace: 'n', prefix: 'r' }, DEPLOYMENT).change((texts) =>
      what === 'rotate'
        ? rotate(texts, purpose, OPTIONS)
        : revoke(texts, purpose, { ...OPTIONS, keyid: kid ?? firstId(purpose), from: NOW }),
    ),
  );

const toEnd = async (run: Run): Promise<void> => {
  while (await run.step());
};

function stateOf({ objects }: ScheduledApi) {
  const ring = (purpose: Purpose): KeyRing => {
    const secret = objects.get(purpose === 'checkpoint' ? 'r-ledger' : 'r-kernel') as V1Secret;
    const text = Buffer.from(secret.data?.[`${purpose}.json`] ?? '', 'base64').toString();
    // Private keys are kept in guarded memory, of which there is little.
    return parseRing(text.replaceAll(/"pem": "[^"]*"/g, '"pem": null'));
  };
  const rings = { permit: ring('permit'), record: ring('record'), checkpoint: ring('checkpoint') };
  return { rings, data: (objects.get('r-public-keys') as V1ConfigMap).data ?? {} };
}

interface Bundle {
  readonly record_keys: readonly { readonly keyid: string }[];
  readonly log_keys: readonly string[];
  readonly revoked_log_keys?: readonly string[];
}

const checked = new WeakMap<ScheduledApi, string>();

/** INVARIANT, after every request: each key of a ring is published, and nothing that it may sign is refused. */
function expectPublished(server: ScheduledApi): void {
  const versions = [...server.objects.values()].map(({ metadata }) => metadata?.resourceVersion).join(' ');
  if (checked.get(server) === versions) return;
  checked.set(server, versions);
  const { rings, data } = stateOf(server);
  for (const purpose of ['permit', 'record'] as const) {
    const published = parsePublicKeys(data[PUBLISHED[purpose]] ?? '');
    for (const { keyid, not_after, revoked } of rings[purpose].keys) {
      const publishedKey = published.get(keyid);
      if (publishedKey === undefined) throw new Error(`the ${purpose} key ${keyid} is in its ring and not published`);
      expect(publishedKey.notAfter ?? Infinity).toBeGreaterThanOrEqual(not_after ?? Infinity);
      expect(publishedKey.closesAt ?? Infinity).toBeGreaterThanOrEqual(revoked?.closes_at ?? Infinity);
    }
  }
  const exact = JSON.parse(publishedTexts(rings, DEPLOYMENT).log) as { keys: string[] };
  const log = JSON.parse(data[PUBLISHED.log] ?? '') as { keys: string[] };
  expect(log.keys).toEqual(expect.arrayContaining(exact.keys));
  const bundle = JSON.parse(data[PUBLISHED.all] ?? '') as Bundle;
  expect(bundle.log_keys).toEqual(log.keys);
  expect(bundle.record_keys.map(({ keyid }) => keyid)).toEqual(
    expect.arrayContaining(rings.record.keys.map(({ keyid }) => keyid)),
  );
}

/** After all runs: the published state of each ring's keys equals the ring, revocations included. */
function expectSettled(server: ScheduledApi, strays: 'may have strays' | 'has no strays'): void {
  expectPublished(server);
  const { rings, data } = stateOf(server);
  const exact = publishedTexts(rings, DEPLOYMENT);
  if (strays === 'has no strays') {
    const names = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[];
    for (const name of names) expect(data[PUBLISHED[name]]).toBe(exact[name]);
    return;
  }
  const listOf = (text: string | undefined, member: string): unknown[] =>
    (JSON.parse(text ?? '') as Record<string, unknown[]>)[member] ?? [];
  for (const [name, member] of [
    ['permit', 'keys'],
    ['record', 'keys'],
    ['log', 'keys'],
    ['log', 'revoked'],
    ['all', 'record_keys'],
    ['all', 'log_keys'],
    ['all', 'revoked_log_keys'],
  ] as const) {
    expect(listOf(data[PUBLISHED[name]], member)).toEqual(expect.arrayContaining(listOf(exact[name], member)));
  }
  expect(data[PUBLISHED.checkpoint]).toBe(exact.checkpoint);
}

/** The requests of an undisturbed change: three publications, with three reads and a write each, and a ring. */
const STEPS_MAX = 13;
const STEPS = Array.from({ length: STEPS_MAX + 1 }, (_, i) => i);

describe('the published keys during concurrent changes', () => {
  const record = { what: 'rotate', purpose: 'record' } as const;
  it.each<[string, Change, Change]>([
    ['two purposes in two Secrets', record, { what: 'rotate', purpose: 'checkpoint' }],
    ['two purposes in one Secret', record, { what: 'rotate', purpose: 'permit' }],
    ['a rotation and a revocation', { what: 'rotate', purpose: 'checkpoint' }, { what: 'revoke', purpose: 'record' }],
    ['a rotation and a revocation of a log key', record, { what: 'revoke', purpose: 'checkpoint' }],
    ['a rotation and a revocation of one ring', record, { what: 'revoke', purpose: 'record' }],
    ['two rotations of one ring', record, record],
  ])('have every key and every revocation: %s, each interrupted once at any request', async (_what, one, other) => {
    for (const first of STEPS) {
      for (const second of STEPS) {
        const server = deployed();
        const [a, b] = [await started(server, one), await started(server, other)];
        for (const [run, count] of [
          [a, first],
          [b, second],
          [a, Infinity],
          [b, Infinity],
        ] as const) {
          for (let i = 0; i < count && (await run.step()); i += 1) expectPublished(server);
        }
        const refused = [a, b].map((run) => run.ended()?.error).filter((error) => error !== null);
        for (const error of refused) expect(error).toBeInstanceOf(Failure);
        if (one.purpose !== other.purpose) expect(refused).toEqual([]);
        expect(refused.length).toBeLessThan(2);
        expectSettled(server, refused.length === 0 ? 'has no strays' : 'may have strays');
      }
    }
  });

  it('have every key and every revocation of three changes in any order of requests, also if one dies', async () => {
    const change = fc.record({ what: fc.constantFrom('rotate', 'revoke'), purpose: fc.constantFrom(...PURPOSES) });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(change, change, change),
        fc.array(fc.nat(2), { maxLength: 60 }),
        fc.option(fc.nat(2)),
        async (changes, schedule, killed) => {
          const server = deployed();
          const runs = await Promise.all(changes.map((each) => started(server, each)));
          for (const which of schedule) {
            await runs[which]?.step();
            expectPublished(server);
          }
          if (killed !== null) runs[killed]?.kill();
          for (const run of runs) await toEnd(run);
          expectPublished(server);
          // The next run publishes what the killed one left undone.
          if (killed !== null) await toEnd(await started(server, changes[killed]!));
          expectSettled(server, 'may have strays');
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('the published keys when a run ends at any request', () => {
  it.each<[string, Change]>([
    ...PURPOSES.map((purpose): [string, Change] => [`a rotation (${purpose})`, { what: 'rotate', purpose }]),
    ...PURPOSES.map((purpose): [string, Change] => [`a revocation (${purpose})`, { what: 'revoke', purpose }]),
  ])('refuse nothing that the rings sign, and equal the rings after a repetition: %s', async (_what, change) => {
    for (const count of STEPS) {
      const server = deployed();
      const run = await started(server, change);
      for (let i = 0; i < count && (await run.step()); i += 1) expectPublished(server);
      run.kill();
      expectPublished(server);
      await toEnd(await started(server, change));
      expectSettled(server, 'has no strays');
      expect(stateOf(server).rings[change.purpose].keys).toHaveLength(2);
    }
  });

  it.each(PURPOSES)('no longer have a waiting %s key that was revoked, after a repetition', async (purpose) => {
    for (const count of STEPS) {
      const server = deployed();
      await toEnd(await started(server, { what: 'rotate', purpose }));
      const kid = stateOf(server).rings[purpose].keys[1]?.keyid ?? '';
      const run = await started(server, { what: 'revoke', purpose, kid });
      for (let i = 0; i < count && (await run.step()); i += 1) expectPublished(server);
      run.kill();
      await toEnd(await started(server, { what: 'revoke', purpose, kid }));
      expectSettled(server, 'has no strays');
      expect(stateOf(server).rings[purpose].keys).toHaveLength(1);
    }
  });
});
