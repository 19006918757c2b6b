// SPDX-License-Identifier: Apache-2.0
// An upgrade from an earlier packaged version to the next one, with an additive migration, and back, while agents call.
import { Observer } from '@writ/stack';
import { inject } from 'vitest';
import { whileCallsGoOn } from './calls-under-load.ts';
import { ClusterRelease, describeRelease, TWO_OF_EACH } from './cluster-release.ts';
import { hasCommit, makeVersion, type OtherVersion, type VersionOptions } from './other-version.ts';

const MINUTE_MS = 60_000;
/** The order of an upgrade. */
const ORDER = ['ledger', 'kernel', 'executor', 'orchestrator'] as const;

/**
 * The version before, which `members-of-version-before.txt` describes: an upgrade goes one version at a time, and older
 * services don't read what the newer ones send. A shallow clone lacks it: then the present sources replace it, under a
 * lower version, with a note in the title.
 */
const VERSION_BEFORE = '3591d597e49ea94a6b2abd8d7d615644f14d2cc0';
const BEFORE = '0.0.9';
const NEXT = '0.2.0';
/** The version to roll back from, one beyond the next. */
const NEWEST = '0.3.0';
const MIGRATION = {
  name: '9000_added_by_a_spec',
  sql: 'ALTER TABLE kernel.operation ADD COLUMN added_by_a_spec text;\n',
};

const FROM = hasCommit(VERSION_BEFORE) ? { commit: VERSION_BEFORE } : {};

describeRelease(
  `an update from ${'commit' in FROM ? `the version before (${VERSION_BEFORE.slice(0, 8)})` : 'the sources of now, since this clone lacks the version before'}`,
  () => {
    const helm = inject('cluster')?.helm ?? '';
    let cluster: ClusterRelease;
    let next: OtherVersion;
    let newest: OtherVersion;
    const made: OtherVersion[] = [];

    const optionsOf = ({ chart, valuesFile, images }: OtherVersion) => ({
      chart,
      files: [valuesFile],
      images,
      values: { ...TWO_OF_EACH, sandbox: { namespace: { name: cluster.release.sandboxes } } },
    });

    beforeAll(async () => {
      cluster = await ClusterRelease.prepare('writ-upgrade');
      const make = async (options: VersionOptions): Promise<OtherVersion> => {
        const version = await makeVersion(cluster.node, helm, options);
        made.push(version);
        return version;
      };
      await cluster.release.install(optionsOf(await make({ version: BEFORE, ...FROM })));
      next = await make({ version: NEXT, migration: MIGRATION });
      newest = await make({ version: NEWEST, migration: MIGRATION });
    }, 60 * MINUTE_MS);
    afterAll(async () => {
      await cluster.remove();
      for (const version of made) version.remove();
    }, 5 * MINUTE_MS);

    interface ServicePod {
      readonly component: string;
      readonly image: string;
      /** When its init containers had ended. */
      readonly begunAt: string;
    }

    /** The pods of the services, without terminating ones. */
    const servicePods = async (): Promise<readonly ServicePod[]> => {
      const text = await cluster.release.kubectl([
        'get',
        'pods',
        '-l',
        `app.kubernetes.io/component in (${ORDER.join(',')})`,
        '-o',
        'json',
      ]);
      const { items } = JSON.parse(text) as {
        items: {
          metadata: { labels: Record<string, string>; deletionTimestamp?: string };
          spec: { containers: readonly { image: string }[] };
          status: { conditions?: { type: string; lastTransitionTime: string }[] };
        }[];
      };
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata, spec, status }) => ({
          component: metadata.labels['app.kubernetes.io/component'] ?? '',
          image: spec.containers[0]?.image ?? '',
          begunAt: status.conditions?.find(({ type }) => type === 'Initialized')?.lastTransitionTime ?? '',
        }));
    };

    /** The components, by the start of their last pod. */
    const orderOfReady = async (): Promise<string[]> => {
      const last = new Map<string, string>();
      for (const { component, begunAt } of await servicePods())
        last.set(component, [last.get(component) ?? '', begunAt].sort().at(-1) as string);
      return [...last].sort(([, a], [, b]) => a.localeCompare(b)).map(([component]) => component);
    };

    const versions = async (): Promise<string[]> => [...new Set((await servicePods()).map(({ image }) => image))];

    const hasColumn = async (): Promise<boolean> => {
      const rows = await new Observer(await cluster.checked()).rows(
        `SELECT 1 FROM information_schema.columns WHERE table_schema = 'kernel' AND table_name = 'operation' AND column_name = 'added_by_a_spec'`,
      );
      return rows.length === 1;
    };

    /** The images of which the admission policy lets executors make sandboxes. */
    const permittedImages = async (): Promise<readonly string[]> => {
      const policy = ['get', 'validatingadmissionpolicy', `${cluster.release.sandboxes}-pods`, '-o', 'json'];
      const { spec } = JSON.parse(await cluster.release.kubectl(policy)) as {
        spec: { variables: { name: string; expression: string }[] };
      };
      const list = spec.variables.find(({ name }) => name === 'images')?.expression ?? '[]';
      return JSON.parse(list) as string[];
    };

    it(
      'upgrades one component after the other, and no client notices',
      async () => {
        expect(await hasColumn()).toBe(false);
        await whileCallsGoOn(cluster, 'upgraded', () => cluster.release.install(optionsOf(next)));
        expect(await versions()).toEqual([`writ:${NEXT}`]);
        expect(await orderOfReady()).toEqual(ORDER);
        expect(await hasColumn()).toBe(true);
        // Old executors went on making sandboxes of theirs.
        expect(await permittedImages()).toEqual([`writ-sandbox:${NEXT}`, `writ-sandbox:${BEFORE}`]);
        expect(await cluster.release.test()).toContain('verified');
      },
      20 * MINUTE_MS,
    );

    it(
      'rolls back in the reverse order, and keeps the additions of the migration',
      async () => {
        await cluster.release.install(optionsOf(newest));
        expect(await versions()).toEqual([`writ:${NEWEST}`]);
        await whileCallsGoOn(cluster, 'rolled back', () => cluster.release.rollback(2));
        expect(await versions()).toEqual([`writ:${NEXT}`]);
        expect(await orderOfReady()).toEqual(ORDER.toReversed());
        expect(await hasColumn()).toBe(true);
        expect(await cluster.release.test()).toContain('verified');
      },
      20 * MINUTE_MS,
    );
  },
);
