// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterNode } from '../node.ts';

const POLL_MS = 200;

/** A policy takes effect within a second; a busy machine gets more time. */
const SOON_MS = 30_000;

/** The requirements of PodSecurity `restricted` on a container. */
const RESTRICTED = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A pod of one container. */
export interface Pod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly [object] } & Readonly<Record<string, unknown>>;
}

/** A pod that runs a Node program, as long as the program runs. */
export const pod = (
  name: string,
  image: string,
  program: string,
  labels: Readonly<Record<string, string>> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name, ...labels } },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image, args: ['-e', program], securityContext: RESTRICTED }],
  },
});

/** The same pod with a claim's volume at `/data`, writable by its group. */
export const withVolume = (of: Pod, claimName: string): Pod => ({
  ...of,
  spec: {
    ...of.spec,
    securityContext: { fsGroup: 65_532 },
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    containers: [{ ...of.spec.containers[0], volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
  },
});

/** A program that answers every request with a word. */
export const server = (word: string): string =>
  `require('node:http').createServer((_, answer) => answer.end('${word}')).listen(8080)`;

/** A program that waits, for commands in its pod. */
export const IDLE = 'setInterval(() => undefined, 1000)';

/** kubectl with one namespace and some shorthands. */
export class Namespace {
  readonly #node: ClusterNode;
  readonly #name: string;

  private constructor(node: ClusterNode, name: string) {
    this.#node = node;
    this.#name = name;
  }

  /** Creates a namespace with a PodSecurity standard for its pods. */
  static async make(node: ClusterNode, name: string, standard: 'restricted' | 'privileged'): Promise<Namespace> {
    const labels = { 'pod-security.kubernetes.io/enforce': standard };
    await node.run(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
    );
    const made = new Namespace(node, name);
    // Pods are refused until the controller has created it.
    await made.kubectl('wait', '--for=create', 'serviceaccount/default', '--timeout=60s');
    return made;
  }

  kubectl(...args: string[]): Promise<string> {
    return this.#node.run([`--namespace=${this.#name}`, ...args]);
  }

  async apply(...objects: object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.#node.run([`--namespace=${this.#name}`, 'apply', '-f', '-'], JSON.stringify(list));
  }

  /** Waits until pods are ready. */
  async ready(...names: string[]): Promise<void> {
    await this.kubectl('wait', '--for=condition=Ready', '--timeout=120s', ...names.map((name) => `pod/${name}`));
  }

  /** A pod's answer from a URL, or its error code. */
  async ask(from: string, url: string): Promise<string> {
    const program = `
      fetch('${url}', { signal: AbortSignal.timeout(2000) })
        .then((answer) => answer.text())
        .catch((error) => error.cause?.code ?? error.name)
        .then((text) => process.stdout.write(text))`;
    return this.kubectl('exec', from, '--', '/usr/local/bin/node', '-e', program);
  }

  /** Repeats the request until the expected answer, and resolves with the last one. */
  async askUntil(from: string, url: string, expected: string): Promise<string> {
    const until = performance.now() + SOON_MS;
    for (;;) {
      const answer = await this.ask(from, url);
      if (answer === expected || performance.now() > until) return answer;
      await delay(POLL_MS);
    }
  }
}
