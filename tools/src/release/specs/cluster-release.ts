// SPDX-License-Identifier: Apache-2.0
// The chart on the suite's node, in its own namespace, with the queries of a spec.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type Checked } from '@writ/stack';
import { inject } from 'vitest';
import type { Values } from '../../chart/render.ts';
import { findNode, type ClusterNode } from '../../cluster/node.ts';
import { SetupError } from '../../setup-error.ts';
import { defaultStateDir, makeSetup, type Setup } from '../../setup.ts';
import { releaseOn, type InstallOptions, type Release } from '../release.ts';
import { openRelay, type Relay } from './relay.ts';

const given = inject('cluster');

/** A suite that needs a node of this checkout; on another cluster it is skipped, with the reason in its name. */
export const describeRelease = (name: string, specs: () => void): void => {
  const title =
    given === undefined
      ? `${name} (skipped: WRIT_CLUSTER_KUBECONFIG names a cluster without this checkout's images)`
      : name;
  describe.skipIf(given === undefined)(title, specs);
};

/** Two of each service, so that one may go; the API on a port of the node. */
export const TWO_OF_EACH: Values = {
  orchestrator: {
    replicas: 2,
    service: { type: 'NodePort' },
    settings: { WRIT_RATE_PER_SECOND: 1000, WRIT_RATE_BURST: 1000 },
  },
  kernel: { replicas: 2 },
  executor: { replicas: 2 },
  ledger: { replicas: 2 },
  networkPolicy: { api: { from: [{ ipBlock: { cidr: '0.0.0.0/0' } }] } },
};

/** Helm's messages are added to the error's message: a test report shows only messages. */
async function withDetails<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof SetupError
      ? new Error([error.message, ...error.details].join('\n'), { cause: error })
      : error;
  }
}

/** An installation for the specs of one file. */
export class ClusterRelease {
  readonly setup: Setup;
  readonly node: ClusterNode;
  readonly release: Release;
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-release-'));
  readonly #relays: Relay[] = [];

  private constructor(setup: Setup, node: ClusterNode, release: Release) {
    this.setup = setup;
    this.node = node;
    this.release = release;
  }

  /** Installs the chart under PodSecurity `restricted` for every pod. */
  static async install(name: string, options: InstallOptions = {}): Promise<ClusterRelease> {
    const made = await ClusterRelease.prepare(name);
    try {
      await made.release.install(options);
      return made;
    } catch (error) {
      await made.remove();
      throw error;
    }
  }

  /** An empty namespace for a release. */
  static async prepare(name: string): Promise<ClusterRelease> {
    if (given === undefined) throw new Error('there is no node of this checkout');
    const setup = makeSetup(given.stateDir, join(defaultStateDir(process.env), 'cache'), process.env, () => undefined);
    const node = await findNode(setup);
    if (node === undefined) throw new Error('the node of the suite is gone');
    const namespace = `${name}-${randomBytes(3).toString('hex')}`;
    await node.run(['create', 'namespace', namespace]);
    await node.run(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
    const release = releaseOn(setup, node, given.helm, given.images, { name: 'writ', namespace });
    return new ClusterRelease(setup, node, {
      ...release,
      install: (options) => withDetails(release.install(options)),
      rollback: (revision) => withDetails(release.rollback(revision)),
      test: () => withDetails(release.test()),
    });
  }

  /** The API at a port of the node, served by any pod. */
  async apiUrl(): Promise<string> {
    const port = await this.release.kubectl([
      'get',
      'service',
      'writ-orchestrator',
      '-o',
      'jsonpath={.spec.ports[0].nodePort}',
    ]);
    const url = `http://${this.node.nodeIp}:${port}`;
    await eventually(`an answer of ${url}`, () =>
      fetch(`${url}/openapi.json`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return url;
  }

  /** The inputs of a check of the log: the database as its administrator, and the presently published keys. */
  async checked(): Promise<Checked> {
    const address = await this.release.kubectl(['get', 'service', 'writ-postgres', '-o', 'jsonpath={.spec.clusterIP}']);
    const relay = await openRelay(this.node, `${address}:5432`);
    this.#relays.push(relay);
    const password = encodeURIComponent((await this.release.secret('writ-postgres-server', 'password')).trim());
    const publicKeysFile = join(this.#folder, 'public-keys.json');
    writeFileSync(publicKeysFile, await this.release.publicKeys());
    const ownerUrl = `postgres://postgres:${password}@${relay.address}/writ?sslmode=no-verify`;
    return { database: { ownerUrl }, keys: { publicKeysFile } };
  }

  /** Waits until a workload has its number of ready pods with the newest template. */
  async rolledOut(workload: string): Promise<void> {
    await this.release.kubectl(['rollout', 'status', workload, '--timeout=300s']);
  }

  /** The names of a component's pods. */
  async pods(component: string): Promise<string[]> {
    const names = await this.release.kubectl([
      'get',
      'pods',
      '-l',
      `app.kubernetes.io/component=${component}`,
      '-o',
      'jsonpath={.items[*].metadata.name}',
    ]);
    return names.split(' ').filter(Boolean);
  }

  async remove(): Promise<void> {
    for (const relay of this.#relays) await relay.close();
    rmSync(this.#folder, { recursive: true, force: true });
    await this.release.remove();
  }
}
