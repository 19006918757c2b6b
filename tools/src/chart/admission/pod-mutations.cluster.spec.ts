// SPDX-License-Identifier: Apache-2.0
// A pod that differs from the driver's in any field of the API server's schema is refused by our own policy:
// PodSecurity is off here.
import { REFUSED_AT_MAX } from '@writ/sandbox';
import type { PodOptions } from '@writ/sandbox-k8s';
import fc from 'fast-check';
import { COMBINATIONS, HARMLESS, IMPOSSIBLE } from './pod-mutations.contract.ts';
import { OTHER_ACCOUNT, POD_EXCLUSIVE, POD_HINTS } from './hints.contract.ts';
import { differencesOf, mutationsOf, type Mutation } from './mutations.contract.ts';
import { describeCluster, driverPodOf, MIB, madeOf, ReleaseOnCluster, type Trying } from './release.contract.ts';

const OTHER_IMAGE = 'registry.example/other@sha256:' + '0'.repeat(64);
/** An answer takes some milliseconds; test machines are busy. */
const RUNS = 100;

const release = new ReleaseOnCluster();

const driverPod = (options: Partial<PodOptions> = {}): object => driverPodOf(release, options);

describeCluster('the pods that an executor makes', () => {
  let tryPod: Trying;
  let tryOpen: Trying;
  let made: object;
  let mutations: readonly Mutation[];

  beforeAll(async () => {
    await release.install({ sandbox: { admissionPolicy: { images: [OTHER_IMAGE] } } });
    const isOpen = 'pod-security.kubernetes.io/enforce=privileged';
    release.must(['label', 'namespace', release.sandboxes, isOpen, '--overwrite']);
    for (const namespace of [release.sandboxes, release.open])
      release.must(['create', 'serviceaccount', OTHER_ACCOUNT, '--namespace', namespace]);
    tryPod = await release.tryer();
    tryOpen = await release.openTryer();
    made = madeOf(await tryPod(driverPod()));
    const of = { schemas: await release.schemas(), hints: POD_HINTS, exclusive: POD_EXCLUSIVE };
    mutations = mutationsOf(driverPod(), { schema: 'io.k8s.api.core.v1.Pod', ...of });
  });
  afterAll(() => release.remove());

  /**
   * The fault in the API server's answer to such a pod; null where our policy refuses it, or the difference is
   * harmless.
   */
  async function wrongWith(pod: object): Promise<string | null> {
    const [tried, open] = await Promise.all([tryPod(pod), tryOpen(pod)]);
    if ('made' in tried) {
      const harmful = differencesOf(made, madeOf(tried)).filter(({ field, value }) => !isHarmless(field, value));
      return harmful.length === 0 ? null : `is admitted with ${JSON.stringify(harmful)}`;
    }
    if (tried.refusal.includes(`ValidatingAdmissionPolicy '${release.sandboxes}-pods'`))
      return /resulted in error|cost budget/.test(tried.refusal) ? `isn't judged: ${tried.refusal}` : null;
    return 'refusal' in open ? null : `is refused by another than the policy: ${tried.refusal}`;
  }

  test.each<readonly [what: string, options: Partial<PodOptions>]>([
    ['of the largest size', {}],
    ['of a small size', { size: { cpus: 0.05, memoryBytes: MIB, pids: 1, tmpfsBytes: MIB } }],
    ['of another image of the list', { image: OTHER_IMAGE }],
    ['with one address that must refuse it', { refusedAt: ['10.0.0.1:80'] }],
    [
      'with as many addresses as an agent tries',
      { refusedAt: Array.from({ length: REFUSED_AT_MAX }, (_, at) => `10.0.0.${at}:80`) },
    ],
    [
      'for a job',
      { labels: { writ: release.name, 'writ.role': 'sandbox', 'writ.owner': 'exe_1', 'writ.operation': 'op_1' } },
    ],
  ])('are admitted as the driver makes them: %s', async (_what, options) => {
    expect(await tryPod(driverPod(options))).toHaveProperty('made');
  });

  test('can differ in each field, by a value that is admitted without a policy', async () => {
    expect(mutations.length).toBeGreaterThan(300);
    const admitted = new Set<string>();
    for (const { field, applyTo } of mutations)
      if (!admitted.has(field) && 'made' in (await tryOpen(applyTo(driverPod())))) admitted.add(field);
    const never = [...new Set(mutations.map(({ field }) => field))].filter((field) => !admitted.has(field));
    expect(never.sort()).toEqual(Object.keys(IMPOSSIBLE).sort());
  });

  test('are refused by the policy wherever one field differs, except harmless differences', async () => {
    const wrong: string[] = [];
    for (const { what, applyTo } of mutations) {
      const found = await wrongWith(applyTo(driverPod()));
      if (found !== null) wrong.push(`${what} ${found}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each(COMBINATIONS)('are refused by the policy with %s', async (_what, change) => {
    const pod = change(structuredClone(driverPod()) as never);
    expect(await tryOpen(pod)).toHaveProperty('made');
    expect(await tryPod(pod)).toEqual({
      refusal: expect.stringContaining(`ValidatingAdmissionPolicy '${release.sandboxes}-pods'`),
    });
  });

  test('are refused by the policy wherever several fields differ, except harmless differences', async () => {
    const several = fc.array(fc.nat(), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(several, async (chosen) => {
        const all = chosen.map((at) => mutations[at % mutations.length]) as readonly Mutation[];
        const found = await wrongWith(all.reduce((pod, { applyTo }) => applyTo(pod), driverPod()));
        expect(found === null ? null : `${all.map(({ what }) => what).join('; ')}: ${found}`).toBeNull();
      }),
      { numRuns: RUNS },
    );
  });

  test('differ without harm in exactly the fields that are listed as harmless', async () => {
    const seen = new Set<string>();
    for (const { applyTo } of mutations) {
      const tried = await tryPod(applyTo(driverPod()));
      if ('made' in tried) for (const { field } of differencesOf(made, madeOf(tried))) seen.add(field);
    }
    expect([...seen].sort()).toEqual(Object.keys(HARMLESS).sort());
  });
});

const isHarmless = (field: string, value: unknown): boolean => HARMLESS[field]?.is(value) ?? false;
