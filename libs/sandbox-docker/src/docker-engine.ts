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
import { requestEngine, isEngineReachable } from './engine-requests.ts';
import { EngineWatch } from './engine-watch.ts';
import { pingEngine } from './ping-engine.ts';
import { isGone, MADE_BY, OWN_MARK } from './process-mark.ts';
import { startContainer } from './start-container.ts';
import { sweep } from './sweep.ts';

/** The event of an out-of-memory kill arrives over another connection than the exit that it causes. */
const OOM_EVENT_MS = 250;
const OWNER = 'writ.owner';
const ROLE = 'writ.role';
/** The role of containers in which images are made. */
const IMAGE_ROLE = 'image';

export interface DockerEngineOptions {
  readonly docker: Docker;
  /** labels of every container of this sandbox, which include its owner */
  readonly labels: Readonly<Record<string, string>>;
  /** the engine's runtime, for example `runsc`; absent: the engine's default */
  readonly runtime?: string;
  readonly report: SandboxEventListener;
}

/** The Docker engine as a sandbox uses it. */
export class DockerEngine implements ContainerEngine {
  /** More starts at once would take the processors of a small machine. */
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

  isReachable(): Promise<boolean> {
    return isEngineReachable(this.#docker);
  }

  async verifyReady(): Promise<void> {
    await verifyEngine(ENGINE_CHECK_MS_MAX, (signal) => pingEngine(this.#docker, signal));
  }

  async ranOutOfMemory(id: string): Promise<boolean> {
    return (await this.#watch?.ranOutOfMemory(id, OOM_EVENT_MS)) ?? false;
  }

  forget(id: string): void {
    this.#watch?.forget(id);
  }

  /**
   * A container that a dead process of this machine made has no owner. If its job has stopped the agent, the container
   * doesn't notice that its executor died. Neither does one in which an image is made: it is paused, or never starts.
   */
  async sweep(isOurs: (id: string) => boolean): Promise<number> {
    const anyOwner = this.#labels.filter((label) => !label.startsWith(`${OWNER}=`));
    const images = anyOwner.map((label) => (label.startsWith(`${ROLE}=`) ? `${ROLE}=${IMAGE_ROLE}` : label));
    return (
      (await this.#swept(this.#labels, isOurs)) +
      (await this.#swept(anyOwner, (_id, labels) => !isGone(labels[MADE_BY] ?? ''))) +
      (await this.#swept(images, (_id, labels) => !this.#isLeftOver(labels)))
    );
  }

  /** Whether an earlier process of this owner, or a dead process of this machine, made the container of an image. */
  #isLeftOver(labels: Readonly<Record<string, string>>): boolean {
    const madeBy = labels[MADE_BY];
    if (madeBy === undefined || madeBy === OWN_MARK[MADE_BY]) return false;
    return isGone(madeBy) || this.#labels.includes(`${OWNER}=${labels[OWNER] ?? ''}`);
  }

  async close(): Promise<void> {
    this.#watch?.close();
  }

  #swept(
    labels: readonly string[],
    isKept: (id: string, labels: Readonly<Record<string, string>>) => boolean,
  ): Promise<number> {
    return requestEngine(this.#docker, 'list containers', sweep(this.#docker, labels, isKept));
  }
}
