// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { within, type Measure, type Meter } from '@writ/sandbox-host';
import { findCgroup, type CgroupReader } from './cgroup.ts';

/** A longer wait would delay the caller's answer for a number. */
const STATS_MS_MAX = 1_500;

/** Without a count, no counter is named. */
const UNKNOWN: Measure = { cpuMs: 0, memoryPeakBytes: 0, outOfMemory: null };

/** Counts what one container uses, from outside it. */
export class DockerMeter implements Meter {
  readonly #container: Docker.Container;
  readonly #reader: Promise<CgroupReader | null>;
  #baseCpuMs = 0;

  /** For a started container; `looked` is the engine's description of it. */
  constructor(container: Docker.Container, looked: Promise<Docker.ContainerInspectInfo>) {
    this.#container = container;
    this.#reader = looked.then(({ State, Id }) => findCgroup(State.Pid, Id)).catch(() => null);
  }

  /** Counting starts here: what the agent used to get ready isn't the job's. */
  async begin(): Promise<void> {
    this.#baseCpuMs = (await this.#cpuMs()) ?? 0;
  }

  /**
   * The usage since the beginning. Read from the kernel where the engine is on this host; else requested from the
   * engine, whose numbers may take a second. Zeros when neither has a value, since a removed container can't be
   * measured.
   */
  async read(): Promise<Measure> {
    try {
      const now = (await this.#reader)?.all() ?? (await this.#queryEngine());
      // A container has used processor time before its job begins, so a zero is not a measurement.
      return now.cpuMs === 0 ? UNKNOWN : { ...now, cpuMs: this.#since(now.cpuMs), countedBy: 'host' };
    } catch {
      return UNKNOWN;
    }
  }

  /**
   * Processor time used since the beginning, in milliseconds; null when neither the kernel nor the engine has a value.
   */
  async cpuMs(): Promise<number | null> {
    const now =
      (await this.#cpuMs()) ??
      (await this.#queryEngine().then(
        ({ cpuMs }) => cpuMs,
        () => null,
      ));
    return now === null ? null : this.#since(now);
  }

  /** The kernel's count; null where it can't be read. */
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

  async #queryEngine(): Promise<Measure> {
    const stats = await within(
      'measure a container',
      STATS_MS_MAX,
      this.#container.stats({ stream: false, 'one-shot': true }),
    );
    const memory = stats.memory_stats;
    return {
      cpuMs: Math.round((stats.cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6),
      // Under cgroup v2 the engine reports no peak: the usage at the end is then the best figure.
      memoryPeakBytes: memory?.max_usage ?? memory?.usage ?? 0,
      outOfMemory: null,
    };
  }
}
