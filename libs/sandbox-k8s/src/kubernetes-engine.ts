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
import { isApiReachable } from './api-requests.ts';
import { ClaimedPods } from './claimed-pods.ts';
import { ImageFault } from './image-fault.ts';
import { MadePods } from './made-pods.ts';
import { OwnerLease } from './owner-lease.ts';
import { podsOf, type PodSource } from './pod-source.ts';
import { stateOf } from './pod-state.ts';
import { ObjectWatch, type PodWatch, type Seen } from './pod-watch.ts';
import { startPod, type PodContext } from './start-pod.ts';
import { Sweep } from './sweep.ts';

/** A kubelet checks its containers each second, and its report travels through the API server. */
const OOM_NEWS_MS = 4_000;
/**
 * Interval of sweeps for the pods of dead executors: the cluster collects their pods itself once the lease is deleted.
 */
const SWEEP_MS = 60_000;

export interface KubernetesEngineOptions extends Omit<PodContext, 'source' | 'lease'> {
  /** a RuntimeClass; absent: the cluster's default runtime */
  readonly runtimeClass?: string;
  /** whether pods share their node's user namespace; absent: the cluster's default */
  readonly hostUsers?: boolean;
  /**
   * prefix of the names of agent-sandbox's SandboxWarmPools, whose pods are claimed; absent: pods are created directly
   */
  readonly warmPools?: string;
  /** labels of every sandbox's pod and lease in the namespace, of any owner */
  readonly common: Readonly<Record<string, string>>;
  /** the label that names an owner, with this executor's value */
  readonly owner: readonly [name: string, value: string];
  readonly report: SandboxEventListener;
}

/** A namespace of a cluster as an engine of sandboxes. */
export class KubernetesEngine implements ContainerEngine {
  /** Most of a start is waiting: the kubelet checks its containers once a second. */
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
  /** why no pod has started yet, where the image is the cause */
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
      // A pool's pod has no owner before it is claimed, and its labels can't name one then.
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
      // The watch reports an unreachable server.
      if (!this.#watch.isLost) report({ type: 'engine.refused', error: error as Error });
    });
    await this.#lease.hold();
    this.#isOpen = true;
    // Keeps all pods of this process: those without an owner are swept when the watch is back.
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
    // Before the pod exists: a sweep that finds it a moment later must recognize it.
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

  isReachable(): Promise<boolean> {
    return isApiReachable(this.#options.api);
  }

  /**
   * Lists at most one pod, which needs the same right as the driver's work. Where pods are claimed, the cluster must
   * have agent-sandbox's kinds too. An engine whose image has never run isn't ready. After the first start, a fault of
   * one image does not make it unready, since others still run.
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
      await api.request('list pods', { ...request, signal }).catch(notReady);
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
      // The watch reports an unreachable server.
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

/** As a name of Kubernetes: an executor's id contains an underscore. */
const nameOf = (owner: string): string =>
  owner
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
