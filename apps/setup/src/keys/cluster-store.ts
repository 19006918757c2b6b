// SPDX-License-Identifier: Apache-2.0
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  type V1ConfigMap,
  type V1ObjectMeta,
  type V1Secret,
} from '@kubernetes/client-node';
import { Failure, reasonOf } from '../failure.ts';
import { KeyStore, type Draft, type Entries } from './key-store.ts';
import type { KeySet } from './layout.ts';

const NOT_FOUND = 404;
const CONFLICT = 409;
const FORBIDDEN = [401, 403];

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
const mapEntries = (entries: Entries, change: (text: string) => string): Entries =>
  Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, change(text)]));

/** The API, namespace and name prefix of the key objects in a cluster. */
export interface ClusterTarget {
  readonly api: CoreV1Api;
  readonly namespace: string;
  /** prefix of each name: the release's name */
  readonly prefix: string;
}

/**
 * The API of the cluster that this process runs in, with the service account of its pod.
 *
 * @param root prefix of the pod's files; only tests set it
 * @throws Failure outside of a pod
 */
export function inClusterTarget(prefix: string, root = ''): ClusterTarget {
  const config = new KubeConfig();
  config.loadFromCluster(root);
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace?.trim();
  if (!namespace) {
    throw new Failure(
      '`--kubernetes` works in a pod with a service account only, and there is none here: set ' +
        '`automountServiceAccountToken: true` in the Job, or use `--out`',
    );
  }
  return { api: config.makeApiClient(CoreV1Api), namespace, prefix };
}

/** Keys as Secrets, and as ConfigMaps where they are public. Objects are created; none is changed. */
export class ClusterStore extends KeyStore {
  readonly #target: ClusterTarget;

  constructor(target: ClusterTarget) {
    super();
    this.#target = target;
  }

  override nameOf(set: KeySet): string {
    return `${this.#target.prefix}-${set.name}`;
  }

  override async read(set: KeySet): Promise<Entries | null> {
    const { api, namespace } = this.#target;
    const request = { name: this.nameOf(set), namespace };
    try {
      if (set.open) return (await api.readNamespacedConfigMap(request)).data ?? {};
      return mapEntries((await api.readNamespacedSecret(request)).data ?? {}, decode);
    } catch (error) {
      if (error instanceof ApiException && error.code === NOT_FOUND) return null;
      throw this.#failureOf('read', set, error);
    }
  }

  override draft(set: KeySet, found: Entries | null): Draft {
    const entries: Record<string, string> = {};
    return {
      entry: async (name, make) => {
        if (found !== null && !(name in found)) {
          throw new Failure(
            `${this.#kindOf(set)} \`${this.nameOf(set)}\` lacks \`${name}\`, and what is there is never changed: ` +
              'add it, or delete that object if nothing needs it and run this again',
          );
        }
        return (entries[name] = found?.[name] ?? (await make()));
      },
      commit: async () => found ?? (await this.#create(set, entries)),
    };
  }

  async #create(set: KeySet, entries: Entries): Promise<Entries> {
    const { api, namespace } = this.#target;
    const metadata = this.#metadata(set);
    try {
      if (set.open)
        await api.createNamespacedConfigMap({ namespace, body: { metadata, data: entries } satisfies V1ConfigMap });
      else
        await api.createNamespacedSecret({
          namespace,
          body: { metadata, type: 'Opaque', data: mapEntries(entries, encode) } satisfies V1Secret,
        });
      return entries;
    } catch (error) {
      if (!(error instanceof ApiException && error.code === CONFLICT)) throw this.#failureOf('create', set, error);
    }
    // Another run was first: its keys are the deployment's keys.
    const others = await this.read(set);
    if (others === null)
      throw new Failure(`${this.#kindOf(set)} \`${this.nameOf(set)}\` was deleted while it was made: run this again`);
    return others;
  }

  #metadata(set: KeySet): V1ObjectMeta {
    return {
      name: this.nameOf(set),
      namespace: this.#target.namespace,
      labels: {
        'app.kubernetes.io/name': 'writ',
        'app.kubernetes.io/instance': this.#target.prefix,
        'app.kubernetes.io/component': 'keys',
        'app.kubernetes.io/part-of': 'writ',
        'app.kubernetes.io/managed-by': 'writ-setup',
      },
    };
  }

  #kindOf = ({ open }: KeySet): string => (open ? 'ConfigMap' : 'Secret');

  #failureOf(verb: 'read' | 'create', set: KeySet, error: unknown): Failure {
    const { namespace } = this.#target;
    const what = `${this.#kindOf(set)} \`${this.nameOf(set)}\` in namespace \`${namespace}\``;
    if (error instanceof ApiException && FORBIDDEN.includes(error.code)) {
      return new Failure(
        `the pod's service account may not ${verb} ${what}: bind it to a Role with the verbs get and create on ` +
          'secrets and configmaps',
        error,
      );
    }
    const reason = error instanceof ApiException ? `status ${error.code}` : reasonOf(error);
    return new Failure(
      `the API can't ${verb} ${what} (${reason}): run this again, and look at the API server if it stays so`,
      error,
    );
  }
}
