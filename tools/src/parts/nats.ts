// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { newPassword } from '@writ/nest-kit/keys';
import { launch, type Child } from '../process/launch.ts';
import type { Part, Running, Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { ensureProgram } from './packages.ts';
import { freePort } from './ports.ts';
import { waitUntilReady } from './ready.ts';
import { ensureSecret } from './secret.ts';

export interface Nats extends Running {
  /** Without credentials. */
  readonly url: string;
  /** Password file of each user; empty for an operator's own server. */
  readonly passwordFiles: Readonly<Record<string, string>>;
  /** Path of the server's program and configuration; null for an operator's own server. */
  readonly server: { readonly program: string; readonly config: string } | null;
}

const READY_MS = 15_000;
const STOP_MS = 3_000;

/** Another process may take the free port before the server binds it. */
const ATTEMPTS = 3;

/** NATS sends each connection an INFO line before any authentication. */
const greets = async (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectTcp({ port, host, timeout: 2_000 });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (chunk) => end(chunk.subarray(0, 5).toString('latin1') === 'INFO ')());
    socket.once('error', end(false));
    socket.once('timeout', end(false));
  });

const useReal = async (url: string): Promise<Nats> => {
  const first = new URL(url.includes('://') ? url : `nats://${url}`);
  if (!(await greets(Number(first.port || 4222), first.hostname))) {
    throw new SetupError(`WRIT_NATS_URL is set to \`${first.host}\`, but no NATS server answers there`);
  }
  return { url, passwordFiles: {}, server: null, child: null };
};

/** The inputs of a configuration. */
export interface NatsPlace {
  readonly port: number;
  readonly storeDir: string;
  /** By user. */
  readonly passwords: Readonly<Record<string, string>>;
}

export interface NatsOptions {
  readonly users: readonly string[];
  /** The text of the server's configuration file. */
  readonly config: (place: NatsPlace) => string;
}

const start = async (setup: Setup, program: string, config: string, port: number): Promise<Child> => {
  const child = await launch(setup, {
    name: 'nats',
    kind: 'part',
    command: program,
    args: ['--config', config],
    env: setup.env,
    signal: 'SIGTERM',
    graceMs: STOP_MS,
  });
  await waitUntilReady(child, () => greets(port), READY_MS);
  return child;
};

/** A nats-server with JetStream as a child process on a loopback port; WRIT_NATS_URL replaces it by a real one. */
export const nats = ({ users, config: render }: NatsOptions): Part<Nats> => ({
  name: 'NATS',
  replacedBy: 'WRIT_NATS_URL',
  ensure: async (setup) => {
    const real = setup.env['WRIT_NATS_URL'];
    if (real) return useReal(real);
    const why = 'to carry messages between the services (or set WRIT_NATS_URL to a server of yours)';
    const program = await ensureProgram(setup, 'nats-server', ['nats-server'], why);
    const dir = join(setup.stateDir, 'nats');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const secrets = users.map((user) => ({ user, ...ensureSecret(setup.stateDir, `nats-${user}`, newPassword) }));
    const passwords = Object.fromEntries(secrets.map(({ user, text }) => [user, text]));
    const config = join(dir, 'nats.conf');
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      writeFileSync(config, render({ port, storeDir: join(dir, 'jetstream'), passwords }), { mode: 0o600 });
      try {
        const child = await start(setup, program, config, port);
        const passwordFiles = Object.fromEntries(secrets.map(({ user, path }) => [user, path]));
        return { url: `nats://127.0.0.1:${port}`, passwordFiles, server: { program, config }, child };
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
      }
    }
  },
});
