// SPDX-License-Identifier: Apache-2.0
import type { SandboxLimits } from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';

/** Below what whoever asks for readiness waits: an engine that takes longer is named as the cause then. */
export const ENGINE_CHECK_MS_MAX = 1_000;

/** What a container is cut to when it is made; a warm one serves only jobs of its own size. */
export type SandboxSize = Pick<SandboxLimits, 'memoryBytes' | 'cpus' | 'pids' | 'tmpfsBytes'>;

/** One container to be made. */
export interface ContainerSpec {
  /** an image's reference or id, as the engine understands it */
  readonly image: string;
  readonly size: SandboxSize;
  /** shown to operators beside the container; never seen by the job */
  readonly labels: Readonly<Record<string, string>>;
}

/** Containers of one image and size that wait. */
export interface WarmPoolConfig {
  readonly image: string;
  readonly size: SandboxSize;
  /** containers that wait */
  readonly count: number;
}

/**
 * What makes, watches and removes containers for one sandbox.
 *
 * Implementations MUST settle every promise in bounded time, whatever the engine does, and MUST NOT leave a container
 * behind that they failed to start.
 */
export interface ContainerEngine {
  /** containers that a pool starts at once: more would slow down the calls that they are there to speed up */
  readonly startsAtOnce: number;
  /**
   * Begins to watch the engine; resolves when it answered, or when it is known that it doesn't. Calls `back` each time
   * that it is there again.
   */
  open(back: () => void): Promise<void>;
  /**
   * Makes and starts a container; tells its id as soon as there is one; resolves when its agent is ready for a job.
   * Rejects when the engine can't.
   */
  start(spec: ContainerSpec, made: (id: string) => void): Promise<AgentContainer>;
  /** Whether the engine answers at all. */
  isThere(): Promise<boolean>;
  /**
   * Resolves where the engine answers this process and grants it what sandboxes need, as of now: not as of a connection
   * that was opened before. Costs the engine next to nothing, and settles within ENGINE_CHECK_MS_MAX. Rejects with
   * EngineNotReady.
   */
  verifyReady(): Promise<void>;
  /**
   * Whether the kernel killed a process of that container for want of memory; waits for the news as long as it may take
   * to come.
   */
  ranOutOfMemory(id: string): Promise<boolean>;
  /** That container is gone: nothing is asked of it any more. */
  forget(id: string): void;
  /**
   * Removes what an earlier life of this sandbox left behind, and what nobody owns any more; answers how many. `isOurs`
   * names what this life has. Rejects when the engine doesn't answer.
   */
  sweep(isOurs: (id: string) => boolean): Promise<number>;
  /** Ends the watch. */
  close(): Promise<void>;
}
