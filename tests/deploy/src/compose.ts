// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@writ/stack';
import { repositoryRoot, testAddress } from '@writ/testing';
import Docker from 'dockerode';

/** Long-running containers, in their start order. */
export const KEPT = ['postgres', 'nats', 'ledger', 'kernel', 'executor', 'orchestrator'] as const;
export type Kept = (typeof KEPT)[number];

const FOLDER = join(repositoryRoot(), 'deploy', 'compose');
const UP_MS = 300_000;
const SERVICE_LABEL = 'com.docker.compose.service';
const PROJECT_LABEL = 'com.docker.compose.project';

/** Runs a program to its end, and throws with its output where it fails. */
export function must(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): string {
  const [program = '', ...args] = command;
  const env = { ...process.env, DOCKER_HOST: testAddress('DOCKER_HOST'), ...options.env };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    ...options,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0)
    throw new Error(`\`${command.join(' ')}\` ended with ${error?.message ?? String(status)}:\n${stdout}${stderr}`);
  return stdout;
}

/** Docker Compose as this machine has it: a plugin of Docker, or a program. Null where it has none. */
export function findCompose(): readonly string[] | null {
  const named = process.env['WRIT_TEST_COMPOSE'];
  const known = named === undefined ? [['docker-compose'], ['docker', 'compose']] : [named.split(' ')];
  return (
    known.find(
      ([program = '', ...args]) => spawnSync(program, [...args, 'version'], { stdio: 'ignore' }).status === 0,
    ) ?? null
  );
}

/** A deployment of deploy/compose in the engine of the infrastructure. */
export class Deployment {
  readonly docker = new Docker({ socketPath: testAddress('DOCKER_HOST').replace('unix://', '') });
  readonly #compose: readonly string[];
  readonly #project: string;
  readonly #image: string;

  /**
   * @param envFile the variables that compose.yaml asks for; those of a test are added
   * @throws Error where there is no Docker Compose
   */
  constructor(project: string, envFile: string) {
    const program = findCompose();
    if (program === null) throw new Error('there is no Docker Compose: `apt-get install docker-compose`');
    this.#project = project;
    this.#image = /^WRIT_IMAGE=(.+)$/m.exec(readFileSync(envFile, 'utf8'))?.[1] ?? '';
    this.#compose = [
      ...program,
      '--env-file',
      envFile,
      '--project-name',
      project,
      '--file',
      join(FOLDER, 'compose.yaml'),
    ];
    // A small warm pool: other specs run in the same engine.
    appendFileSync(envFile, ['WRIT_POOL_SIZE=1', `WRIT_SANDBOX_LABEL=${project}`, `WRIT_HTTP_PORT=0`, ''].join('\n'));
  }

  run(...args: string[]): string {
    return must([...this.#compose, ...args]);
  }

  up(): void {
    this.run('up', '--detach');
  }

  async container(service: string): Promise<Docker.ContainerInfo> {
    const label = [`${PROJECT_LABEL}=${this.#project}`, `${SERVICE_LABEL}=${service}`];
    const [found] = await this.docker.listContainers({ all: true, filters: { label } });
    if (found === undefined) throw new Error(`there is no container of \`${service}\``);
    return found;
  }

  /** Resolves when each of them is healthy. */
  async healthy(services: readonly string[] = KEPT): Promise<void> {
    for (const service of services) {
      await eventually(
        `a healthy ${service}`,
        async () => {
          const { State } = await this.docker.getContainer((await this.container(service)).Id).inspect();
          return State.Running && State.Health?.Status === 'healthy';
        },
        UP_MS,
      );
    }
  }

  /** An address of a container that this machine reaches: this engine publishes no ports. */
  async addressOf(service: string): Promise<string> {
    const { NetworkSettings } = await this.container(service);
    const address = Object.values(NetworkSettings.Networks)
      .map(({ IPAddress }) => IPAddress)
      .find((ip) => ip !== '');
    if (address === undefined) throw new Error(`\`${service}\` has no address`);
    return address;
  }

  /** Reads a file of a volume. */
  read(volume: string, file: string): string {
    const args = [
      '--rm',
      '--network',
      'none',
      '--volume',
      `${this.#project}_${volume}:/volume:ro`,
      '--entrypoint',
      '/usr/local/bin/node',
    ];
    const read = `process.stdout.write(require('node:fs').readFileSync('/volume/${file}'))`;
    return must(['docker', 'run', ...args, this.#image, '-e', read]);
  }

  /** Kills a container's process; its restart policy starts it again. */
  async crash(service: Kept): Promise<void> {
    const { Id } = await this.container(service);
    const { State, RestartCount } = await this.docker.getContainer(Id).inspect();
    process.kill(State.Pid, 'SIGKILL');
    await eventually(`${service} to be started again`, async () => {
      const now = await this.docker.getContainer(Id).inspect();
      return now.RestartCount > RestartCount && now.State.Running;
    });
  }

  /** Removes everything, the volumes too, and the sandboxes that a killed executor left. */
  async remove(): Promise<void> {
    this.run('down', '--volumes', '--timeout', '12');
    await sleep(1_000);
    const left = await this.docker.listContainers({ all: true, filters: { label: [`writ=${this.#project}`] } });
    await Promise.all(
      left.map(({ Id }) =>
        this.docker
          .getContainer(Id)
          .remove({ force: true, v: true })
          .catch(() => undefined),
      ),
    );
  }
}
