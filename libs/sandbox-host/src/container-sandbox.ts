// SPDX-License-Identifier: Apache-2.0
import {
  assertRunnable,
  encodeEntries,
  NO_USAGE,
  Sandbox,
  ShellEnded,
  Shells,
  type SandboxJob,
  type ExpectedJob,
  type SandboxLabels,
  type SandboxResult,
  type SandboxUser,
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
  /** labels of every container */
  readonly labels: Readonly<Record<string, string>>;
  readonly pools: readonly WarmPoolConfig[];
  /** pre-populated containers, which wait with the files of a likely job, in addition to the pools; absent: none */
  readonly prePopulated?: number;
  readonly report?: SandboxEventListener;
}

/** Sandboxes in containers of any engine, with warm pools. */
export class ContainerSandbox extends Sandbox {
  readonly #config: ContainerSandboxConfig;
  readonly #engine: ContainerEngine;
  readonly #report: SandboxEventListener;
  readonly #pools = new Map<string, WarmPool>();
  readonly #live = new Set<string>();
  /** created and not ready yet */
  readonly #starting = new Set<string>();
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #chores = new Chores();
  readonly #prePopulated: PrePopulated;
  /** kin whose containers are being pre-populated */
  readonly #prePopulating = new Set<string>();

  protected constructor(config: ContainerSandboxConfig) {
    super();
    this.#config = config;
    this.#engine = config.engine;
    this.#report = config.report ?? (() => undefined);
    this.#prePopulated = new PrePopulated({
      count: config.prePopulated ?? 0,
      remove: (container) => this.#discard(container),
    });
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
   * Sweeps containers without an owner and starts to fill the pools. It waits neither for the pools nor for an
   * unreachable engine.
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

  /** The containers that wait in the pools, and those that are starting. */
  get poolCounts(): { readonly ready: number; readonly starting: number } {
    const pools = [...this.#pools.values()];
    return {
      ready: pools.reduce((sum, { idle }) => sum + idle, 0),
      starting: pools.reduce((sum, { starting }) => sum + starting, 0),
    };
  }

  /** Resolves where the engine can now serve this process. Rejects with EngineNotReady within a second or so. */
  async verifyReady(): Promise<void> {
    await this.#engine.verifyReady();
  }

  /** All containers of this sandbox, waiting ones included. */
  get containers(): readonly string[] {
    return [...this.#live];
  }

  override async run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    assertRunnable(job);
    const run = new JobRun(job, AbortSignal.any([signal, this.#closing.signal]), {
      acquire: async () => this.#takePrePopulated(job) ?? (await this.#acquire(job)),
      discard: (container) => this.#discard(container),
      release: (container) => this.#release(container),
      ranOutOfMemory: (id) => this.#engine.ranOutOfMemory(id),
      isEngineReachable: () => this.#engine.isReachable(),
    });
    const ended = this.#chores.begin();
    return this.#track(run.result().finally(ended));
  }

  override expect(prospect: ExpectedJob): void {
    const kin = kinOf(prospect.kin, prospect);
    if (
      (this.#config.prePopulated ?? 0) === 0 ||
      this.#prePopulated.has(kin) ||
      this.#prePopulating.has(kin) ||
      this.#closing.signal.aborted
    )
      return;
    this.#prePopulating.add(kin);
    const populated = this.#chores.do(() => this.#layOut(kin, prospect)).finally(() => this.#prePopulating.delete(kin));
    void this.#track(
      populated.catch((error: Error) => this.#report({ type: 'pool.refill_failed', image: prospect.image, error })),
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
    this.#prePopulated.close();
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
        isEngineReachable: () => this.#engine.isReachable(),
      },
      signal,
    );
    const end = () => void shell.close();
    this.#closing.signal.addEventListener('abort', end, { once: true });
    void shell.gone.then(() => this.#closing.signal.removeEventListener('abort', end));
    return shell;
  }

  async #layOut(kin: string, { image, limits, files }: ExpectedJob): Promise<void> {
    const container =
      (await this.#pools.get(keyOf(image, limits))?.acquire()) ?? (await this.#start(image, limits, {}));
    try {
      for await (const parts of encodeEntries(files(), container.presentEntries)) await container.send(parts);
    } catch (error) {
      this.#discard(container);
      throw error;
    }
    this.#prePopulated.put(kin, container);
  }

  #takePrePopulated(job: SandboxJob): AgentContainer | null {
    // Waiting containers have the user of sandboxes.
    if (job.user !== undefined) return null;
    const container = job.kin === undefined ? null : this.#prePopulated.acquire(kinOf(job.kin.name, job));
    if (container) this.#report({ type: 'pool.hit', image: job.image });
    return container;
  }

  async #acquire({
    image,
    limits,
    labels,
    user,
  }: Pick<SandboxJob, 'image' | 'labels' | 'user'> & Pick<ShellSpec, 'limits'>): Promise<AgentContainer> {
    if (user !== undefined) return await this.#start(image, limits, labels, user);
    const warm = await this.#pools.get(keyOf(image, limits))?.acquire();
    this.#report({ type: warm ? 'pool.hit' : 'pool.miss', image });
    return warm ?? this.#start(image, limits, labels);
  }

  #start(image: string, size: SandboxSize, labels: SandboxLabels, user?: SandboxUser): Promise<AgentContainer> {
    const spec = { image, size, labels: { ...labels, ...this.#config.labels } };
    return this.#track(this.#startOne(user === undefined ? spec : { ...spec, user }));
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
   * Removes a container whose job has ended by its own report, after the answer: the engine takes longer for it than
   * the rest of the call. The report may be forged, so its output is ignored from now on, and the removal waits no
   * longer than `Chores` permits.
   */
  #release(container: AgentContainer): void {
    container.stopListening();
    void this.#track(this.#chores.doFirst(() => this.#remove(container)));
  }

  /** Removes a container in the background: a container that has given its answer delays nothing. */
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

  /**
   * A container with our label that isn't ours belongs to an earlier process, or to an engine that was unreachable when
   * we gave it up.
   */
  async #sweep(): Promise<void> {
    try {
      const containers = await this.#engine.sweep((id) => this.#live.has(id) || this.#starting.has(id));
      if (containers > 0) this.#report({ type: 'swept', containers });
    } catch {
      // The watch has reported the missing engine, and sweeps again when it is back.
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
