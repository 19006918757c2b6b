// SPDX-License-Identifier: Apache-2.0
import {
  assertRunnable,
  encodeEntries,
  NO_USAGE,
  Sandbox,
  ShellEnded,
  Shells,
  type SandboxJob,
  type SandboxProspect,
  type SandboxResult,
  type Shell,
  type ShellSpec,
} from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';
import { Chores } from './chores.ts';
import type { ContainerEngine, ContainerSpec, SandboxSize, WarmPoolConfig } from './container-engine.ts';
import { ContainerShell } from './container-shell.ts';
import { ContainerShells } from './container-shells.ts';
import type { SandboxEventListener } from './events.ts';
import { JobRun } from './job-run.ts';
import { PrePopulated } from './pre-populated.ts';
import { WarmPool } from './warm-pool.ts';

export interface ContainerSandboxConfig {
  readonly engine: ContainerEngine;
  /** on every container */
  readonly labels: Readonly<Record<string, string>>;
  readonly pools: readonly WarmPoolConfig[];
  /** containers that wait with the files of a likely job, beside the pools; absent: none */
  readonly laidOut?: number;
  readonly report?: SandboxEventListener;
}

/** Sandboxes in containers, warm ones first, whatever engine makes them. */
export class ContainerSandbox extends Sandbox {
  readonly #config: ContainerSandboxConfig;
  readonly #engine: ContainerEngine;
  readonly #report: SandboxEventListener;
  readonly #pools = new Map<string, WarmPool>();
  readonly #live = new Set<string>();
  /** made and not ready yet */
  readonly #starting = new Set<string>();
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #chores = new Chores();
  readonly #laidOut: PrePopulated;
  /** kin whose containers are being pre-populated */
  readonly #laying = new Set<string>();

  protected constructor(config: ContainerSandboxConfig) {
    super();
    this.#config = config;
    this.#engine = config.engine;
    this.#report = config.report ?? (() => undefined);
    this.#laidOut = new PrePopulated({ count: config.laidOut ?? 0, remove: (container) => this.#discard(container) });
    for (const { image, size, count } of config.pools) {
      this.#pools.set(
        keyOf(image, size),
        new WarmPool({
          count,
          startsAtOnce: this.#engine.startsAtOnce,
          start: () => this.#start(image, size, {}),
          remove: (container) => this.#discard(container),
          failed: (error) => this.#report({ type: 'pool.refill_failed', image, error }),
          later: (chore) => void this.#track(this.#chores.do(chore)),
        }),
      );
    }
  }

  /**
   * Sweeps what nobody owns any more and begins to fill the pools; doesn't wait for them, nor for an engine that is
   * away.
   */
  protected async begin(): Promise<void> {
    await this.#engine.open(() => this.#recover());
    await this.#sweep();
    for (const pool of this.#pools.values()) pool.retry();
  }

  /** Resolves when every pool is full. */
  async warm(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.full()));
  }

  /** What waits in the pools, and what is being started for them. */
  get warmth(): { readonly ready: number; readonly starting: number } {
    const pools = [...this.#pools.values()];
    return {
      ready: pools.reduce((sum, { idle }) => sum + idle, 0),
      starting: pools.reduce((sum, { starting }) => sum + starting, 0),
    };
  }

  /**
   * Resolves where the engine would do work for this process now. Rejects with EngineNotReady within a second or so.
   */
  async verifyReady(): Promise<void> {
    await this.#engine.verifyReady();
  }

  /** Containers of this sandbox that exist now, waiting ones included. */
  get containers(): readonly string[] {
    return [...this.#live];
  }

  override async run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    assertRunnable(job);
    const run = new JobRun(job, AbortSignal.any([signal, this.#closing.signal]), {
      acquire: async () => this.#takeLaidOut(job) ?? (await this.#acquire(job)),
      discard: (container) => this.#discard(container),
      release: (container) => this.#release(container),
      ranOutOfMemory: (id) => this.#engine.ranOutOfMemory(id),
      isEngineThere: () => this.#engine.isThere(),
    });
    const ended = this.#chores.begin();
    return this.#track(run.result().finally(ended));
  }

  override prospect(prospect: SandboxProspect): void {
    const kin = kinOf(prospect.kin, prospect);
    if (
      (this.#config.laidOut ?? 0) === 0 ||
      this.#laidOut.has(kin) ||
      this.#laying.has(kin) ||
      this.#closing.signal.aborted
    )
      return;
    this.#laying.add(kin);
    const laid = this.#chores.do(() => this.#layOut(kin, prospect)).finally(() => this.#laying.delete(kin));
    void this.#track(
      laid.catch((error: Error) => this.#report({ type: 'pool.refill_failed', image: prospect.image, error })),
    );
  }

  /** Shells in containers of the same kind; each ends with this sandbox at the latest. */
  get shells(): Shells {
    return new ContainerShells((spec, signal) => this.#openShell(spec, signal));
  }

  override async close(): Promise<void> {
    this.#closing.abort();
    this.#chores.close();
    for (const pool of this.#pools.values()) pool.close();
    this.#laidOut.close();
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
    await this.#engine.close();
  }

  async #openShell(spec: ShellSpec, signal: AbortSignal): Promise<Shell> {
    if (signal.aborted || this.#closing.signal.aborted) throw new ShellEnded('killed', 'aborted', null, NO_USAGE);
    const container = await this.#acquire(spec).catch((error: unknown) => {
      throw new ShellEnded(
        'lost',
        'engine',
        `no container can be started: ${error instanceof Error ? error.message : String(error)}`,
        NO_USAGE,
      );
    });
    const shell = await ContainerShell.open(
      container,
      spec,
      {
        discard: (each) => this.#discard(each),
        ranOutOfMemory: (id) => this.#engine.ranOutOfMemory(id),
        isEngineThere: () => this.#engine.isThere(),
      },
      signal,
    );
    const end = () => void shell.close();
    this.#closing.signal.addEventListener('abort', end, { once: true });
    void shell.gone.then(() => this.#closing.signal.removeEventListener('abort', end));
    return shell;
  }

  async #layOut(kin: string, { image, limits, files }: SandboxProspect): Promise<void> {
    const container = (await this.#pools.get(keyOf(image, limits))?.take()) ?? (await this.#start(image, limits, {}));
    try {
      for await (const parts of encodeEntries(files(), container.standing)) await container.send(parts);
    } catch (error) {
      this.#discard(container);
      throw error;
    }
    this.#laidOut.put(kin, container);
  }

  #takeLaidOut(job: SandboxJob): AgentContainer | null {
    const container = job.kin === undefined ? null : this.#laidOut.take(kinOf(job.kin.name, job));
    if (container) this.#report({ type: 'pool.hit', image: job.image });
    return container;
  }

  async #acquire({ image, limits, labels }: Pick<ShellSpec, 'image' | 'limits' | 'labels'>): Promise<AgentContainer> {
    const warm = await this.#pools.get(keyOf(image, limits))?.take();
    this.#report({ type: warm ? 'pool.hit' : 'pool.miss', image });
    return warm ?? this.#start(image, limits, labels);
  }

  #start(image: string, size: SandboxSize, labels: Readonly<Record<string, string>>): Promise<AgentContainer> {
    return this.#track(this.#startOne({ image, size, labels: { ...labels, ...this.#config.labels } }));
  }

  async #startOne(spec: ContainerSpec): Promise<AgentContainer> {
    let made: string | undefined;
    const began = performance.now();
    const tell = (type: 'container.started' | 'container.start_failed'): void =>
      this.#report({ type, image: spec.image, ms: performance.now() - began });
    try {
      const container = await this.#engine.start(spec, (id) => {
        made = id;
        this.#starting.add(id);
      });
      this.#live.add(container.id);
      tell('container.started');
      return container;
    } catch (error) {
      tell('container.start_failed');
      throw error;
    } finally {
      if (made !== undefined) this.#starting.delete(made);
    }
  }

  /**
   * Removes a container whose job says that it has ended, when its answer is out: what the engine does for it takes
   * longer than the rest of the call. Only the job's word says so, therefore nobody listens to it any more and it waits
   * for no longer than `Chores` holds anything.
   */
  #release(container: AgentContainer): void {
    container.hush();
    void this.#track(this.#chores.doFirst(() => this.#remove(container)));
  }

  /** Removes a container in the background: nobody waits for the end of what has given its answer. */
  #discard(container: AgentContainer): void {
    void this.#track(this.#remove(container));
  }

  async #remove(container: AgentContainer): Promise<void> {
    await container
      .remove()
      .catch((error: Error) => this.#report({ type: 'container.not_removed', id: container.id, error }));
    this.#live.delete(container.id);
    this.#engine.forget(container.id);
  }

  #recover(): void {
    void this.#track(
      this.#sweep().then(() => {
        for (const pool of this.#pools.values()) pool.retry();
      }),
    );
  }

  /** What carries our name and isn't ours is of an earlier life, or of an engine that was away when we gave it up. */
  async #sweep(): Promise<void> {
    try {
      const containers = await this.#engine.sweep((id) => this.#live.has(id) || this.#starting.has(id));
      if (containers > 0) this.#report({ type: 'swept', containers });
    } catch {
      // No engine: the watch has said so, and sweeps again when it is back.
    }
  }

  #track<T>(task: Promise<T>): Promise<T> {
    this.#tasks.add(task);
    const done = () => void this.#tasks.delete(task);
    task.then(done, done);
    return task;
  }
}

/** Containers of one image and size, with files of one kin. */
const kinOf = (name: string, { image, limits }: Pick<SandboxJob, 'image' | 'limits'>): string =>
  `${keyOf(image, limits)} ${name}`;

function keyOf(image: string, { memoryBytes, cpus, pids, tmpfsBytes }: SandboxSize): string {
  return [image, memoryBytes, cpus, pids, tmpfsBytes].join(' ');
}
