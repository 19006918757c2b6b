// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROCESSES, type Process } from '@writ/contract';
import { replaceFile } from '@writ/nest-kit/keys';
import { Failure, reasonOf } from './failure.ts';

/** The settings from which a server's configuration is rendered. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly storeDir: string;
  readonly users: Readonly<Record<Process, string>>;
  readonly serverName: string;
  readonly shard: string;
  readonly tls: { readonly certFile: string; readonly keyFile: string };
}

/** Renders the configuration of a shard's server: `natsServerConfig` of the bus. */
export type RenderConfig = (settings: ServerSettings) => string;

export interface NatsConfigOptions {
  /** the folder of the set `nats-server`, as this program sees it */
  readonly keys: string;
  /** the file to write, in an existing folder */
  readonly out: string;
  /** the same folder as the server sees it */
  readonly keysAtServer: string;
  readonly storeDir: string;
  readonly port: number;
  readonly shard: string;
}

/** For health checks, which come from the server's own container or pod. */
const MONITORING = 'http: "127.0.0.1:8222"\n';
/** The file has the passwords of all processes. */
const MODE = 0o600;

/**
 * Writes the configuration of the bundled NATS, with a user per process and TLS. Each run writes it again: the subjects
 * that a process may publish depend on the version of Writ.
 *
 * @throws Failure
 */
export function writeNatsConfig(
  { keys, out, keysAtServer, storeDir, port, shard }: NatsConfigOptions,
  render: RenderConfig,
): void {
  const users = Object.fromEntries(PROCESSES.map((process) => [process, readPassword(keys, process)])) as Record<
    Process,
    string
  >;
  try {
    const tls = { certFile: join(keysAtServer, 'tls.crt'), keyFile: join(keysAtServer, 'tls.key') };
    const server = { host: '0.0.0.0', port, storeDir, users, serverName: `writ-${shard}`, shard, tls };
    replaceFile(out, `${render(server)}${MONITORING}`, MODE);
  } catch (error) {
    throw new Failure(`the configuration of NATS can't be written: ${reasonOf(error)}`, error);
  }
}

function readPassword(folder: string, process: Process): string {
  const path = join(folder, process);
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Failure(
      `\`${path}\` can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): run \`keys\` with ` +
        '`--nats-host` first, and name its folder `nats-server` with `--keys`',
      error,
    );
  }
}
