// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

/** Debian installs it in a directory that is only on root's PATH. */
const extraDirectories = ['/usr/sbin', '/usr/local/sbin'];

/** The parameters of a configuration text: where to listen and where to store. */
export interface NatsServerSettings {
  readonly host: string;
  readonly port: number;
  readonly storeDir: string;
}

/** A nats-server of one test, on loopback and on its own port. */
export interface TestNatsServer extends NatsServerSettings {
  readonly url: string;
  /** Starts it again on the same port and store after `kill`. */
  start(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Deletes everything that JetStream stored, whether the server runs or not. */
  deleteStore(): Promise<void>;
  /** Ends it and deletes its store. */
  stop(): Promise<void>;
}

/**
 * Finds the server's binary: WRIT_TEST_NATS_SERVER, else on PATH.
 * @throws Error that names the package to install: a test that needs a server fails loudly rather than being skipped
 */
export function findNatsServer(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['WRIT_TEST_NATS_SERVER'];
  const candidates =
    named === undefined || named === ''
      ? [...(env['PATH'] ?? '').split(delimiter), ...extraDirectories]
          .filter(Boolean)
          .map((directory) => join(directory, 'nats-server'))
      : [named];
  const found = candidates.find(isExecutable);
  if (found === undefined)
    throw new Error(
      "no `nats-server` found: install Debian's package `nats-server`, or name the binary in `WRIT_TEST_NATS_SERVER`",
    );
  return found;
}

/**
 * Starts a server.
 * @param configText makes the text of its configuration file; without it: JetStream on, no users
 */
export async function startNatsServer(
  configText: (settings: NatsServerSettings) => string = openConfig,
): Promise<TestNatsServer> {
  const binary = findNatsServer();
  const directory = await mkdtemp(join(tmpdir(), 'writ-nats-'));
  const settings: NatsServerSettings = {
    host: '127.0.0.1',
    port: await freePort(),
    storeDir: join(directory, 'store'),
  };
  const configFile = join(directory, 'nats.conf');
  await writeFile(configFile, configText(settings), { mode: 0o600 });
  let child = await run(binary, configFile);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    ...settings,
    url: `nats://${settings.host}:${settings.port}`,
    kill,
    start: async () => {
      child = await run(binary, configFile);
    },
    deleteStore: () => rm(settings.storeDir, { recursive: true, force: true }),
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function run(binary: string, configFile: string): Promise<ChildProcess> {
  const child = spawn(binary, ['--config', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: child.stderr });
  const seen: string[] = [];
  for await (const line of lines) {
    seen.push(line);
    if (!line.includes('Server is ready')) continue;
    // Further output isn't parsed, but a full pipe would stop the server.
    child.stderr.resume();
    return child;
  }
  throw new Error(`nats-server ended before it was ready:\n${seen.join('\n')}`);
}

function openConfig(settings: NatsServerSettings): string {
  return `host: "${settings.host}"\nport: ${settings.port}\njetstream { store_dir: "${settings.storeDir}" }\n`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
