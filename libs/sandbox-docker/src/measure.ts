// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { within, type Measure, type Meter } from '@writ/sandbox-host';
import { findCgroup, type CgroupReader } from './cgroup.ts';

/** Longer and the caller's answer would wait for a number. */
const STATS_MS_MAX = 1_500;

/** Nobody counted, so nobody is named. */
const UNKNOWN: Measure = { cpuMs: 0, memoryPeakBytes: 0, outOfMemory: null };

/** Counts what one container uses, from outside it. */
export class DockerMeter implements Meter {
  readonly #container: Docker.Container;
  readonly #reader: Promise<CgroupReader | null>;
  #baseCpuMs = 0;

  /** For a container that has been started, and what the engine says of it since. */
  constructor(container: Docker.Container, looked: Promise<Docker.ContainerInspectInfo>) {
    this.#container = container;
    this.#reader = looked.then(({ State, Id }) => findCgroup(State.Pid, Id)).catch(() => null);
  }

  /** From here on counts: what the agent used to get ready is not the job's. */
  async begin(): Promise<void> {
    this.#baseCpuMs = (await this.#cpuMs()) ?? 0;
  }

  /**
   * What was used since the beginning. Read from the kernel where the engine is on this host; else the engine is asked,
   * whose numbers may take a second. Zeros when neither knows, since a container that is gone can't be measured any
   * more.
   */
  async read(): Promise<Measure> {
    try {
      const now = (await this.#reader)?.all() ?? (await this.#ask());
      // What is in a container has used processor time before its job begins: a zero is no count.
      return now.cpuMs === 0 ? UNKNOWN : { ...now, cpuMs: this.#since(now.cpuMs), countedBy: 'host' };
    } catch {
      return UNKNOWN;
    }
  }

  /** Processor time used since the beginning, in milliseconds; null when neither the kernel nor the engine tells. */
  async cpuMs(): Promise<number | null> {
    const now =
      (await this.#cpuMs()) ??
      (await this.#ask().then(
        ({ cpuMs }) => cpuMs,
        () => null,
      ));
    return now === null ? null : this.#since(now);
  }

  /** What the kernel has counted; null where it can't be asked. */
  async #cpuMs(): Promise<number | null> {
    try {
      return (await this.#reader)?.cpuMs() ?? null;
    } catch {
      return null;
    }
  }

  #since(cpuMs: number): number {
    return Math.max(0, cpuMs - this.#baseCpuMs);
  }

  async #ask(): Promise<Measure> {
    const stats = await within(
      'measure a container',
      STATS_MS_MAX,
      this.#container.stats({ stream: false, 'one-shot': true }),
    );
    const memory = stats.memory_stats;
    return {
      cpuMs: Math.round((stats.cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6),
      // Under cgroup v2 the engine tells no peak: what is in use at the end is then the best known.
      memoryPeakBytes: memory?.max_usage ?? memory?.usage ?? 0,
      outOfMemory: null,
    };
  }
}
