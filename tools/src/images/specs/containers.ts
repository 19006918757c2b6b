// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type Docker from 'dockerode';

/** The options of a container: hardened as in a deployment. */
export interface ContainerPlan {
  readonly args: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `from:to` or `from:to:ro` */
  readonly binds?: readonly string[];
  /** writable folders */
  readonly writable?: readonly string[];
  readonly network?: 'none' | 'host';
  /** an additional group of its process */
  readonly group?: number;
}

/** Starts containers of one image and removes them. */
export class Containers {
  readonly #docker: Docker;
  readonly #image: string;
  readonly #label: string;
  readonly #started: Docker.Container[] = [];

  constructor(docker: Docker, image: string, label: string) {
    this.#docker = docker;
    this.#image = image;
    this.#label = label;
  }

  async start({
    args,
    entrypoint,
    env = {},
    binds = [],
    writable = [],
    network = 'none',
    group,
  }: ContainerPlan): Promise<Docker.Container> {
    const container = await this.#docker.createContainer({
      Image: this.#image,
      Cmd: [...args],
      ...(entrypoint === undefined ? {} : { Entrypoint: [...entrypoint] }),
      Labels: { writ: this.#label },
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      HostConfig: {
        ReadonlyRootfs: true,
        NetworkMode: network,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Binds: [...binds],
        Tmpfs: Object.fromEntries(writable.map((path) => [path, 'uid=10001,gid=10001,mode=700'])),
        ...(group === undefined ? {} : { GroupAdd: [String(group)] }),
      },
    });
    this.#started.push(container);
    await container.start();
    return container;
  }

  /** Runs a container to its end; resolves with its status and its whole output. */
  async run(plan: ContainerPlan): Promise<{ status: number; output: string }> {
    const container = await this.start(plan);
    const { StatusCode } = (await container.wait()) as { StatusCode: number };
    return { status: StatusCode, output: await this.logsOf(container) };
  }

  async logsOf(container: Docker.Container): Promise<string> {
    const output = new PassThrough();
    this.#docker.modem.demuxStream(
      PassThrough.from(await container.logs({ stdout: true, stderr: true })),
      output,
      output,
    );
    setImmediate(() => output.end());
    return await text(output);
  }

  async removeAll(): Promise<void> {
    await Promise.all(
      this.#started.splice(0).map((container) => container.remove({ force: true, v: true }).catch(() => undefined)),
    );
  }
}
