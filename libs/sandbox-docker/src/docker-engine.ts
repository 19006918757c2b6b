// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import {
  ENGINE_CHECK_MS_MAX,
  verifyEngine,
  type AgentContainer,
  type ContainerEngine,
  type ContainerSpec,
  type SandboxEventListener,
} from '@writ/sandbox-host';
import { askEngine, isEngineThere } from './engine-requests.ts';
import { EngineWatch } from './engine-watch.ts';
import { pingAfresh } from './ping-afresh.ts';
import { isGone, MADE_BY } from './process-mark.ts';
import { startContainer } from './start-container.ts';
import { sweep } from './sweep.ts';

/** The event of an out-of-memory kill comes over another connection than the end that it causes. */
const OOM_EVENT_MS = 250;

export interface DockerEngineOptions {
  readonly docker: Docker;
  /** labels that every container of this sandbox has, its owner among them */
  readonly labels: Readonly<Record<string, string>>;
  /** the engine's runtime, `runsc` for example; absent: the engine's default */
  readonly runtime?: string;
  readonly report: SandboxEventListener;
}

/** Docker as a sandbox sees it. */
export class DockerEngine implements ContainerEngine {
  /** On a small machine more would take its processors. */
  readonly startsAtOnce = 2;
  readonly #docker: Docker;
  readonly #labels: readonly string[];
  readonly #runtime: string | undefined;
  readonly #report: SandboxEventListener;
  #watch: EngineWatch | null = null;

  constructor({ docker, labels, runtime, report }: DockerEngineOptions) {
    this.#docker = docker;
    this.#labels = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    this.#runtime = runtime;
    this.#report = report;
  }

  async open(back: () => void): Promise<void> {
    this.#watch = new EngineWatch(this.#docker, this.#labels, this.#report, back);
    await this.#watch.start();
  }

  start(spec: ContainerSpec, made: (id: string) => void): Promise<AgentContainer> {
    return startContainer(this.#docker, this.#runtime === undefined ? spec : { ...spec, runtime: this.#runtime }, made);
  }

  isThere(): Promise<boolean> {
    return isEngineThere(this.#docker);
  }

  async verifyReady(): Promise<void> {
    await verifyEngine(ENGINE_CHECK_MS_MAX, (signal) => pingAfresh(this.#docker, signal));
  }

  async ranOutOfMemory(id: string): Promise<boolean> {
    return (await this.#watch?.ranOutOfMemory(id, OOM_EVENT_MS)) ?? false;
  }

  forget(id: string): void {
    this.#watch?.forget(id);
  }

  /**
   * What a dead process of this machine made is nobody's: a container whose agent its job has stopped doesn't notice
   * that its executor died.
   */
  async sweep(isOurs: (id: string) => boolean): Promise<number> {
    return (
      (await this.#swept(this.#labels, isOurs)) +
      (await this.#swept(
        this.#labels.filter((label) => !label.startsWith('writ.owner=')),
        (_id, labels) => !isGone(labels[MADE_BY] ?? ''),
      ))
    );
  }

  async close(): Promise<void> {
    this.#watch?.close();
  }

  #swept(
    labels: readonly string[],
    isKept: (id: string, labels: Readonly<Record<string, string>>) => boolean,
  ): Promise<number> {
    return askEngine(this.#docker, 'list containers', sweep(this.#docker, labels, isKept));
  }
}
