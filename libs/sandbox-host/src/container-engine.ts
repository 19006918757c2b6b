// SPDX-License-Identifier: Apache-2.0
import type { SandboxLimits, SandboxUser } from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';

/** Shorter than the time limit of readiness checks, so that a slow engine is named as the cause. */
export const ENGINE_CHECK_MS_MAX = 1_000;

/** The limits with which a container is made; a warm one serves only jobs with the same limits. */
export type SandboxSize = Pick<SandboxLimits, 'memoryBytes' | 'cpus' | 'pids' | 'tmpfsBytes'>;

/** The specification of one container. */
export interface ContainerSpec {
  /** an image's reference or id, in the engine's form */
  readonly image: string;
  readonly size: SandboxSize;
  /** whom the agent and its job run as; absent: the user of sandboxes */
  readonly user?: SandboxUser;
  /** shown to operators beside the container; never visible to the job */
  readonly labels: Readonly<Record<string, string>>;
}

/** A warm pool: waiting containers of one image and size. */
export interface WarmPoolConfig {
  readonly image: string;
  readonly size: SandboxSize;
  /** containers that wait */
  readonly count: number;
}

/**
 * Makes, watches and removes containers for one sandbox.
 *
 * Implementations MUST settle every promise in bounded time, whatever the engine does. They MUST NOT leave a container
 * behind that they failed to start.
 */
export interface ContainerEngine {
  /** containers that a pool starts at once: more would slow down the very calls that need them */
  readonly startsAtOnce: number;
  /**
   * Starts to watch the engine; resolves when it has answered, or is found not to answer. Calls `back` each time that
   * it is reachable again.
   */
  open(back: () => void): Promise<void>;
  /**
   * Creates and starts a container. Calls `made` with its id as soon as there is one. Resolves when its agent is ready
   * for a job; rejects when the engine fails.
   */
  start(spec: ContainerSpec, made: (id: string) => void): Promise<AgentContainer>;
  /** Whether the engine answers at all. */
  isReachable(): Promise<boolean>;
  /**
   * Resolves where the engine now answers this process over a new connection and grants the rights that sandboxes need.
   * Costs the engine next to nothing, and settles within ENGINE_CHECK_MS_MAX. Rejects with EngineNotReady.
   */
  verifyReady(): Promise<void>;
  /**
   * Whether the kernel killed a process of that container for lack of memory. Waits for the event as long as it may
   * take to arrive.
   */
  ranOutOfMemory(id: string): Promise<boolean>;
  /** Drops all data about a removed container. */
  forget(id: string): void;
  /**
   * Removes containers of this sandbox's earlier processes, and those without an owner; returns their number. `isOurs`
   * tells which containers this process has. Rejects when the engine doesn't answer.
   */
  sweep(isOurs: (id: string) => boolean): Promise<number>;
  /** Stops the watch. */
  close(): Promise<void>;
}
