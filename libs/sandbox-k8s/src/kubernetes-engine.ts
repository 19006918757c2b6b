// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import {
  ENGINE_CHECK_MS_MAX,
  EngineNotReady,
  verifyEngine,
  type AgentContainer,
  type ContainerEngine,
  type ContainerSpec,
  type SandboxEventListener,
} from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import { isApiThere } from './api-requests.ts';
import { ClaimedPods } from './claimed-pods.ts';
import { ImageFault } from './image-fault.ts';
import { MadePods } from './made-pods.ts';
import { OwnerLease } from './owner-lease.ts';
import { podsOf, type PodSource } from './pod-source.ts';
import { stateOf } from './pod-state.ts';
import { ObjectWatch, type PodWatch, type Seen } from './pod-watch.ts';
import { startPod, type PodContext } from './start-pod.ts';
import { Sweep } from './sweep.ts';

/** A kubelet looks at its containers each second, and its word travels by the API server. */
const OOM_NEWS_MS = 4_000;
/**
 * Between two looks for what dead executors left behind: their pods are collected by the cluster as soon as their lease
 * is gone.
 */
const SWEEP_MS = 60_000;

export interface KubernetesEngineOptions extends Omit<PodContext, 'source' | 'lease'> {
  /** a RuntimeClass; absent: the cluster's default runtime */
  readonly runtimeClass?: string;
  /** whether pods have the users of their node; absent: as the cluster has it */
  readonly hostUsers?: boolean;
  /** what the names of agent-sandbox's SandboxWarmPools begin with, whose pods are claimed; absent: pods are made */
  readonly warmPools?: string;
  /** labels of every sandbox's pod and lease in the namespace, whosever */
  readonly common: Readonly<Record<string, string>>;
  /** the label that names an owner, with this executor's value */
  readonly owner: readonly [name: string, value: string];
  readonly report: SandboxEventListener;
}

/** A namespace of a cluster as a sandbox sees it. */
export class KubernetesEngine implements ContainerEngine {
  /** Most of a start is waiting: the kubelet looks at its containers once a second. */
  readonly startsAtOnce = 4;
  readonly #options: KubernetesEngineOptions;
  readonly #lease: OwnerLease;
  readonly #sweep: Sweep;
  readonly #source: PodSource;
  readonly #watch: PodWatch;
  readonly #name: string;
  #back: () => void = () => undefined;
  #isOpen = false;
  #hasStarted = false;
  /** why no pod has started yet, where that is the image's fault */
  #imageFault: ImageFault | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KubernetesEngineOptions) {
    this.#options = options;
    const { api, namespace, common, owner } = options;
    this.#name = `writ-${nameOf(owner[1])}`;
    this.#lease = new OwnerLease({
      api,
      namespace,
      name: this.#name,
      holder: owner[1],
      labels: { ...common, [owner[0]]: owner[1] },
      failed: (error) => options.report({ type: 'engine.refused', error }),
    });
    const own = selectorOf({ ...common, [owner[0]]: owner[1] });
    const { warmPools, report } = options;
    this.#watch = new ObjectWatch({
      api,
      what: 'pods',
      path: podsOf(namespace),
      // A pod of a pool is nobody's before it is claimed, and its labels can't say whose it is then.
      selector: warmPools === undefined ? own : selectorOf(common),
      stateOf,
      report,
      back: () => this.#back(),
    });
    const context = { ...options, watch: this.#watch };
    this.#source =
      warmPools === undefined ? new MadePods(context) : new ClaimedPods({ ...context, warmPools, selector: own });
    this.#sweep = new Sweep({ api, source: this.#source, namespace, selector: selectorOf(common), owner });
  }

  async open(back: () => void): Promise<void> {
    const { report } = this.#options;
    this.#back = back;
    await this.#watch.start();
    await this.#source.open().catch((error: unknown) => {
      // The watch reports a server that is away.
      if (!this.#watch.isLost) report({ type: 'engine.refused', error: error as Error });
    });
    await this.#lease.hold();
    this.#isOpen = true;
    // Ours are all kept: what of ours is nobody's is swept when the watch is back.
    this.#timer = setInterval(
      () =>
        void this.sweep(() => true).then(
          (containers) => {
            if (containers > 0) report({ type: 'swept', containers });
          },
          () => undefined,
        ),
      SWEEP_MS * (0.9 + Math.random() / 5),
    ).unref();
  }

  async start(spec: ContainerSpec, made: (id: string) => void): Promise<AgentContainer> {
    if (!this.#isOpen) throw new Error('the engine is not open');
    const name = `${this.#name}-${randomBytes(5).toString('hex')}`;
    // Before it is: a sweep that finds it a moment later must know it.
    made(name);
    try {
      const container = await startPod({ ...this.#options, source: this.#source, lease: this.#lease }, spec, name);
      this.#hasStarted = true;
      this.#imageFault = null;
      return container;
    } catch (error) {
      if (error instanceof ImageFault && !this.#hasStarted) this.#imageFault = error;
      if (error instanceof ApiError && error.isQuota) this.#options.report({ type: 'engine.quota', error });
      throw error;
    }
  }

  isThere(): Promise<boolean> {
    return isApiThere(this.#options.api);
  }

  /**
   * Lists one pod at most: that needs the same right as the driver's work. Where pods are claimed, the cluster must
   * have the kinds of agent-sandbox too. An engine of which no pod has ever started, since their image can't run, isn't
   * ready; after the first start one image's fault is no reason to take an executor out that others still run on.
   */
  async verifyReady(): Promise<void> {
    const { api, namespace } = this.#options;
    const request = { method: 'GET', path: podsOf(namespace), query: { limit: '1' } } as const;
    const notReady = (error: unknown): never => {
      if (!(error instanceof ApiError)) throw error;
      const isDenied = error.status === 401 || error.status === 403;
      throw new EngineNotReady(isDenied ? 'denied' : error.isBusy ? 'silent' : 'failed', error.message, {
        cause: error,
      });
    };
    await verifyEngine(ENGINE_CHECK_MS_MAX, async (signal) => {
      await api.ask('list pods', { ...request, signal }).catch(notReady);
      await this.#source.verify(signal).catch(notReady);
    });
    const fault = this.#imageFault;
    if (fault !== null) throw new EngineNotReady('image', fault.message, { cause: fault });
  }

  async ranOutOfMemory(id: string): Promise<boolean> {
    const watch = this.#watch;
    const pod = this.#source.podOf(id);
    if (pod === null) return false;
    if (watch.isLost) return watch.stateOf(pod)?.ranOutOfMemory ?? false;
    const take = (seen: Seen): boolean | null => {
      if (seen === 'gone') return false;
      return seen.ranOutOfMemory ? true : seen.isRunning ? null : seen.failure === null ? null : false;
    };
    return await watch.until(pod, take, AbortSignal.timeout(OOM_NEWS_MS)).catch(() => false);
  }

  forget(id: string): void {
    this.#source.forget(id);
  }

  async sweep(isOurs: (id: string) => boolean): Promise<number> {
    try {
      return await this.#sweep.sweep(isOurs);
    } catch (error) {
      // The watch reports a server that is away.
      if (error instanceof ApiError && !error.isBusy) this.#options.report({ type: 'engine.refused', error });
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#watch.close();
    await this.#source.close();
    await this.#lease.close();
    this.#options.api.close();
  }
}

const selectorOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** As a name of Kubernetes: an executor's id has an underscore. */
const nameOf = (owner: string): string =>
  owner
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
