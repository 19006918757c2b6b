// SPDX-License-Identifier: Apache-2.0
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { HostClock, HostEnvironment, HostRandom, type Host } from '@writ/mk8-shell';
import { Commands } from './commands.ts';
import { ContainerFacts } from './container-facts.ts';
import { GateNet } from './gate-net.ts';
import { WorkspaceFiles } from './workspace-files.ts';

class SystemClock extends HostClock {
  now = (): number => Date.now();
  monotonic = (): number => performance.now();

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish, { once: true });
    });
  }
}

class SystemRandom extends HostRandom {
  bytes = (count: number): Uint8Array => randomBytes(count);
}

class Variables extends HostEnvironment {
  readonly #variables: Readonly<Record<string, string | undefined>>;

  constructor(variables: Readonly<Record<string, string | undefined>>) {
    super();
    this.#variables = variables;
  }

  get = (name: string): string | undefined =>
    Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
}

/** The folders, variables and process control of a script's container. */
export interface ContainerEnvironment {
  /** the workspace's root, without a slash at its end */
  readonly root: string;
  /** a directory outside the workspace */
  readonly scratch: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** kills all that a command started */
  readonly endAll: (leader: ChildProcess) => void;
}

/**
 * The host of a script in a container: everything that it can touch belongs to the container or goes through its gate.
 */
export function containerHost({ root, scratch, variables, endAll }: ContainerEnvironment): Host {
  const files = new WorkspaceFiles(root);
  return {
    files,
    process: new Commands(files, scratch, variables, endAll),
    net: new GateNet(variables['http_proxy']),
    clock: new SystemClock(),
    random: new SystemRandom(),
    env: new Variables(variables),
    system: new ContainerFacts(root, scratch),
  };
}
