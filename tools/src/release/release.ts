// SPDX-License-Identifier: Apache-2.0
// The chart as a platform team uses it: helm and kubectl against a real cluster.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CHART, type Values } from '../chart/render.ts';
import type { ClusterNode } from '../cluster/node.ts';
import { mustRun } from '../cluster/run-command.ts';
import type { BuiltImage, TrialParts } from '../images/index.ts';
import type { Setup } from '../setup.ts';
import { openForward, type Forward } from './forward.ts';

/** The namespace and name of an installation. */
export interface ReleasePlace {
  readonly name: string;
  readonly namespace: string;
}

/** The images of a release, by reference and id. */
export interface InstalledImages {
  readonly writ: BuiltImage;
  readonly sandbox: BuiltImage;
  readonly parts: TrialParts;
}

export interface InstallOptions {
  /** Values that override those of the example `small` and of the images. */
  readonly values?: Values;
  /** A folder or a package of the chart; this checkout's by default. */
  readonly chart?: string;
  /** Values files in place of the example `small`. */
  readonly files?: readonly string[];
  /** Images of another version. */
  readonly images?: Pick<InstalledImages, 'writ' | 'sandbox'>;
}

/** An installation of the chart. Each of its commands throws `SetupError` with the program's messages. */
export interface Release extends ReleasePlace {
  /** The namespace of its sandboxes. */
  readonly sandboxes: string;
  /** Installs the chart, or upgrades an installation, and waits until it is ready. Resolves with the revision. */
  readonly install: (options?: InstallOptions) => Promise<number>;
  /** Rolls back to a revision, and waits. */
  readonly rollback: (revision: number) => Promise<void>;
  /** `helm test`. Resolves with the logs of its pod. */
  readonly test: () => Promise<string>;
  /** Removes the release with its namespaces, including keys and data. */
  readonly remove: () => Promise<void>;
  /** Runs kubectl in the namespace of the release. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** A member of a Secret, as text. */
  readonly secret: (name: string, key: string) => Promise<string>;
  /** The published keys, in the format of `writ verify`. */
  readonly publicKeys: () => Promise<string>;
  /** The key that creates tenants. */
  readonly platformKey: () => Promise<string>;
  /** The API on a local port, until it is closed. */
  readonly forward: () => Promise<Forward>;
}

const SMALL_VALUES = join(CHART, 'ci', 'small-values.yaml');
/** Helm's limit for each stage of a rollout; a program that runs longer than all of them hangs. */
const HELM_WAIT = '15m';
const HELM_MS = 18 * 60_000;

/** Images are loaded into the node and never pulled. */
export const imageValues = ({ writ, sandbox, parts }: InstalledImages): Values => {
  const split = (ref: string): { repository: string; tag: string } => {
    const [repository = '', tag = ''] = ref.split(':');
    return { repository, tag };
  };
  const user = { runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001 };
  return {
    image: split(writ.ref),
    sandbox: { image: { ...split(sandbox.ref), id: sandbox.id } },
    postgres: { bundled: { image: split(parts.postgres.ref), securityContext: user } },
    nats: { bundled: { image: split(parts.nats.ref), securityContext: user } },
  };
};

/** Writes a temporary values file for helm, while a function runs. */
const withValues = async <T>(values: readonly Values[], use: (files: readonly string[]) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'writ-values-'));
  try {
    const files = values.map((each, index) => {
      const path = join(folder, `${index}.yaml`);
      writeFileSync(path, stringify(each, { version: '1.1' }));
      return path;
    });
    return await use(files);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A release on a node with its images. */
export const releaseOn = (
  setup: Pick<Setup, 'stateDir'>,
  node: ClusterNode,
  helmPath: string,
  images: InstalledImages,
  { name, namespace }: ReleasePlace = { name: 'writ', namespace: 'writ' },
): Release => {
  const home = join(setup.stateDir, 'helm');
  const helm = (what: string, ...args: string[]): Promise<string> => {
    mkdirSync(home, { recursive: true });
    // The user's settings for other clusters are neither read nor changed.
    const env = { ...node.env, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    return mustRun(what, [helmPath, '--namespace', namespace, ...args], { env, timeoutMs: HELM_MS });
  };
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    node.run(['--namespace', namespace, ...args], input);
  const read = async (kind: string, object: string, key: string): Promise<string> =>
    kubectl(['get', kind, object, '-o', `jsonpath={.data.${key.replaceAll('.', '\\.')}}`]);
  const secret = async (object: string, key: string): Promise<string> =>
    Buffer.from(await read('secret', object, key), 'base64').toString('utf8');

  const sandboxes = `${namespace}-sandboxes`;
  return {
    name,
    namespace,
    sandboxes,
    kubectl,
    secret,
    publicKeys: () => read('configmap', `${name}-public-keys`, 'public-keys.json'),
    platformKey: async () => (await secret(`${name}-platform-key`, 'platform-api-key')).trim(),
    forward: () =>
      openForward(
        [node.kubectl, '--namespace', namespace, 'port-forward', `service/${name}-orchestrator`, ':80'],
        node.env,
      ),
    install: ({ values = {}, chart = CHART, files = [SMALL_VALUES], images: others = {} } = {}) =>
      withValues([imageValues({ ...images, ...others }), values], async (own) => {
        const flags = [...files, ...own].flatMap((file) => ['--values', file]);
        const wait = ['--wait', '--timeout', HELM_WAIT];
        const install = ['upgrade', name, chart, '--install', '--create-namespace', ...wait, '--output', 'json'];
        return (JSON.parse(await helm('install the chart', ...install, ...flags)) as { version: number }).version;
      }),
    rollback: async (revision) => {
      await helm('roll the release back', 'rollback', name, String(revision), '--wait', '--timeout', HELM_WAIT);
    },
    test: () => helm('test the release', 'test', name, '--logs', '--timeout', HELM_WAIT),
    remove: async () => {
      await helm('remove the release', 'uninstall', name, '--ignore-not-found', '--wait', '--timeout', HELM_WAIT);
      await node.run(['delete', 'namespace', namespace, sandboxes, '--ignore-not-found', '--wait']);
    },
  };
};
