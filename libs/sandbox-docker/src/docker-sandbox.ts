// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import {
  assertRunnable, encodeEntries, NO_USAGE, Sandbox, ShellEnded, Shells, type SandboxJob, type SandboxProspect, type SandboxResult, type Shell, type ShellSpec,
} from '@writ/sandbox';
import { AgentContainer } from './agent-container.ts';
import { Chores } from './chores.ts';
import type { ContainerSpec, SandboxSize } from './container-options.ts';
import { DockerShell } from './docker-shell.ts';
import { DockerShells } from './docker-shells.ts';
import { askEngine, isEngineThere } from './engine-requests.ts';
import { EngineWatch } from './engine-watch.ts';
import type { SandboxEventListener } from './events.ts';
import { JobRun } from './job-run.ts';
import { LaidOut } from './laid-out.ts';
import { isGone, MADE_BY, ownMark } from './process-mark.ts';
import { sweep } from './sweep.ts';
import { WarmPool } from './warm-pool.ts';

export interface WarmPoolConfig {
  readonly image: string;
  readonly size: SandboxSize;
  /** containers that wait */
  readonly count: number;
}

export interface DockerSandboxConfig {
  readonly docker: Docker;
  /** value of the label `writ`: whose containers they are, for whoever cleans up */
  readonly label: string;
  /** this executor; what it left behind in an earlier life is swept at the start */
  readonly owner: string;
  readonly pools: readonly WarmPoolConfig[];
  /** containers that wait with the files of a likely job, beside the pools; absent: none */
  readonly laidOut?: number;
  /** the engine's runtime, `runsc` for example */
  readonly runtime?: string;
  readonly report?: SandboxEventListener;
}

const mark = ownMark();
const MARK: Readonly<Record<string, string>> = mark === null ? {} : { [MADE_BY]: mark };

/** Sandboxes in Docker containers, warm ones first. */
export class DockerSandbox extends Sandbox {
  readonly #config: DockerSandboxConfig;
  readonly #report: SandboxEventListener;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #pools = new Map<string, WarmPool>();
  readonly #watch: EngineWatch;
  readonly #live = new Set<string>();
  /** made and not ready yet */
  readonly #starting = new Set<string>();
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #chores = new Chores();
  readonly #laidOut: LaidOut;
  /** kin for which files are being laid out */
  readonly #laying = new Set<string>();

  /** Sweeps what this owner left behind, and what dead processes of this machine did, and begins to fill the pools; doesn't wait for them, nor for an engine that is away. */
  static async open(config: DockerSandboxConfig): Promise<DockerSandbox> {
    const sandbox = new DockerSandbox(config);
    await sandbox.#watch.start();
    await sandbox.#sweep();
    for (const pool of sandbox.#pools.values()) pool.retry();
    return sandbox;
  }

  private constructor(config: DockerSandboxConfig) {
    super();
    this.#config = config;
    this.#report = config.report ?? (() => undefined);
    this.#labels = { writ: config.label, 'writ.role': 'sandbox', 'writ.owner': config.owner };
    this.#laidOut = new LaidOut({ count: config.laidOut ?? 0, remove: (container) => this.#discard(container) });
    this.#watch = new EngineWatch(config.docker, this.#filters(), this.#report, () => this.#recover());
    for (const { image, size, count } of config.pools) {
      this.#pools.set(keyOf(image, size), new WarmPool({
        count,
        start: () => this.#start(image, size, {}),
        remove: (container) => this.#discard(container),
        failed: (error) => this.#report({ type: 'pool.refill_failed', image, error }),
        later: (chore) => void this.#track(this.#chores.do(chore)),
      }));
    }
  }

  /** Resolves when every pool is full. */
  async warm(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.full()));
  }

  /** Containers of this sandbox that exist now, waiting ones included. */
  get containers(): readonly string[] {
    return [...this.#live];
  }

  override async run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    assertRunnable(job);
    const run = new JobRun(job, AbortSignal.any([signal, this.#closing.signal]), {
      acquire: async () => this.#takeLaidOut(job) ?? await this.#acquire(job),
      discard: (container) => this.#discard(container),
      release: (container) => this.#release(container),
      ranOutOfMemory: (id, waitMs) => this.#watch.ranOutOfMemory(id, waitMs),
      isEngineThere: () => isEngineThere(this.#config.docker),
    });
    const ended = this.#chores.begin();
    return this.#track(run.result().finally(ended));
  }

  override prospect(prospect: SandboxProspect): void {
    const kin = kinOf(prospect.kin, prospect);
    if ((this.#config.laidOut ?? 0) === 0 || this.#laidOut.has(kin) || this.#laying.has(kin) || this.#closing.signal.aborted) return;
    this.#laying.add(kin);
    const laid = this.#chores.do(() => this.#layOut(kin, prospect)).finally(() => this.#laying.delete(kin));
    void this.#track(laid.catch((error: Error) => this.#report({ type: 'pool.refill_failed', image: prospect.image, error })));
  }

  /** Shells in containers of the same kind; each ends with this sandbox at the latest. */
  get shells(): Shells {
    return new DockerShells((spec, signal) => this.#openShell(spec, signal));
  }

  override async close(): Promise<void> {
    this.#closing.abort();
    this.#chores.close();
    for (const pool of this.#pools.values()) pool.close();
    this.#laidOut.close();
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
    this.#watch.close();
  }

  async #openShell(spec: ShellSpec, signal: AbortSignal): Promise<Shell> {
    if (signal.aborted || this.#closing.signal.aborted) throw new ShellEnded('killed', 'aborted', null, NO_USAGE);
    const container = await this.#acquire(spec).catch((error: unknown) => {
      throw new ShellEnded('lost', 'engine', `no container can be started: ${error instanceof Error ? error.message : String(error)}`, NO_USAGE);
    });
    const shell = await DockerShell.open(container, spec, {
      discard: (each) => this.#discard(each),
      ranOutOfMemory: (id, waitMs) => this.#watch.ranOutOfMemory(id, waitMs),
      isEngineThere: () => isEngineThere(this.#config.docker),
    }, signal);
    const end = () => void shell.close();
    this.#closing.signal.addEventListener('abort', end, { once: true });
    void shell.gone.then(() => this.#closing.signal.removeEventListener('abort', end));
    return shell;
  }

  async #layOut(kin: string, { image, limits, files }: SandboxProspect): Promise<void> {
    const container = await this.#pools.get(keyOf(image, limits))?.take() ?? await this.#start(image, limits, {});
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
    return this.#track(this.#startOne({ image, size, labels: { ...labels, ...this.#labels, ...MARK }, ...(this.#config.runtime === undefined ? {} : { runtime: this.#config.runtime }) }));
  }

  async #startOne(spec: ContainerSpec): Promise<AgentContainer> {
    let made: string | undefined;
    try {
      const container = await AgentContainer.start(this.#config.docker, spec, (id) => {
        made = id;
        this.#starting.add(id);
      });
      this.#live.add(container.id);
      return container;
    } finally {
      if (made !== undefined) this.#starting.delete(made);
    }
  }

  /**
   * Removes a container whose job says that it has ended, when its answer is out: what the engine does for it takes longer than the rest of the call. Only the job's
   * word says so, therefore nobody listens to it any more and it waits for no longer than `Chores` holds anything.
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
    await container.remove().catch((error: Error) => this.#report({ type: 'container.not_removed', id: container.id, error }));
    this.#live.delete(container.id);
    this.#watch.forget(container.id);
  }

  #recover(): void {
    void this.#track(this.#sweep().then(() => {
      for (const pool of this.#pools.values()) pool.retry();
    }));
  }

  /**
   * What carries our name and isn't ours is of an earlier life, or of an engine that was away when we gave it up. What a dead process of this machine made is nobody's:
   * a container whose agent its job has stopped doesn't notice that its executor died.
   */
  async #sweep(): Promise<void> {
    try {
      const containers = await this.#swept(this.#filters(), (id) => this.#live.has(id) || this.#starting.has(id))
        + await this.#swept(this.#filters().filter((label) => !label.startsWith('writ.owner=')), (_id, labels) => !isGone(labels[MADE_BY] ?? ''));
      if (containers > 0) this.#report({ type: 'swept', containers });
    } catch {
      // No engine: the watch has said so, and sweeps again when it is back.
    }
  }

  #swept(labels: readonly string[], isKept: (id: string, labels: Readonly<Record<string, string>>) => boolean): Promise<number> {
    return askEngine(this.#config.docker, 'list containers', sweep(this.#config.docker, labels, isKept));
  }

  #filters(): string[] {
    return Object.entries(this.#labels).map(([name, value]) => `${name}=${value}`);
  }

  #track<T>(task: Promise<T>): Promise<T> {
    this.#tasks.add(task);
    const done = () => void this.#tasks.delete(task);
    task.then(done, done);
    return task;
  }
}

/** Containers of one image and size, with files of one kin. */
const kinOf = (name: string, { image, limits }: Pick<SandboxJob, 'image' | 'limits'>): string => `${keyOf(image, limits)} ${name}`;

function keyOf(image: string, { memoryBytes, cpus, pids, tmpfsBytes }: SandboxSize): string {
  return [image, memoryBytes, cpus, pids, tmpfsBytes].join(' ');
}
