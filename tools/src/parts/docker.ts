// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { launch } from '../process/launch.ts';
import { setSessionNiceness } from '../process/niceness.ts';
import type { Part, Running, Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { engineRunDir } from './docker-paths.ts';
import { ensureProgram } from './packages.ts';
import { waitUntilReady } from './ready.ts';

export interface Engine extends Running {
  /** As in DOCKER_HOST. */
  readonly host: string;
  readonly docker: Docker;
  /** Whether this is our own engine, which runs only our containers. */
  readonly own: boolean;
}

const SYSTEM = 'unix:///var/run/docker.sock';
const PING_MS = 3_000;
/** A first start creates the storage directories, beside npm's and apt's work on a small machine. */
const READY_MS = 60_000;
/** dockerd's own grace period for containers; below the watchdog's ten seconds. */
const SHUTDOWN_S = 2;
const STOP_MS = 5_000;
/**
 * Beside services: most of the engine's work prepares waiting containers, which must not take processor time from calls
 * on a small machine. Jobs have their own share.
 */
const NICENESS = 10;
/**
 * Beside specs, which keep every processor busy for many minutes: with the niceness of above the engine would be
 * starved, and specs that wait for containers took ten times as long.
 */
const TEST_NICENESS = 0;

/** A client of the engine at an address as in DOCKER_HOST. */
export const dockerAt = (host: string, timeout?: number): Docker => {
  const wait = timeout === undefined ? {} : { timeout };
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length), ...wait });
  const url = new URL(host.replace(/^tcp:/, 'http:'));
  return new Docker({
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    host: url.hostname,
    port: Number(url.port || 2375),
    ...wait,
  });
};

const answers = async (host: string): Promise<boolean> =>
  dockerAt(host, PING_MS)
    .ping()
    .then(
      () => true,
      () => false,
    );

const useReal = async (setup: Setup): Promise<Engine | undefined> => {
  const named = setup.env['DOCKER_HOST'];
  const host = named || SYSTEM;
  if (!(await answers(host))) {
    if (named) throw new SetupError(`DOCKER_HOST is set to \`${named}\`, but no engine answers there`);
    return undefined;
  }
  setup.processes.setEngine({ host, label: setup.stateId, execRoot: null });
  return { host, docker: dockerAt(host), own: false, child: null };
};

/** Sandboxes have no network, so the engine needs no bridge and changes no firewall rule of the machine. */
const flags = (setup: Setup, runDir: string, host: string): string[] => [
  '--host',
  host,
  '--data-root',
  join(setup.stateDir, 'docker'),
  '--exec-root',
  join(runDir, 'exec'),
  '--pidfile',
  join(runDir, 'docker.pid'),
  '--bridge=none',
  '--iptables=false',
  '--ip6tables=false',
  '--ip-forward=false',
  '--ip-masq=false',
  '--userland-proxy=false',
  `--shutdown-timeout=${SHUTDOWN_S}`,
  '--log-level=warn',
];

/**
 * The containerd that this dockerd has started; undefined where it uses another. A pid file may be outdated; a parent
 * process isn't.
 */
const containerdOf = (dockerd: number, execRoot: string): number | undefined => {
  try {
    const pid = Number(readFileSync(join(execRoot, 'containerd', 'containerd.pid'), 'utf8'));
    return new RegExp(`^PPid:\\t${dockerd}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8')) ? pid : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Both lead sessions: their own niceness would count only within each session. Containers are in control groups with
 * their own shares.
 */
const yieldProcessor = (setup: Setup, dockerd: number, execRoot: string, niceness: number): void => {
  try {
    for (const pid of [dockerd, containerdOf(dockerd, execRoot)])
      if (pid !== undefined) setSessionNiceness(pid, niceness);
  } catch (error) {
    setup.report(`the engine's work may slow calls down: its sessions' niceness can't be set (${String(error)})`);
  }
};

/**
 * A Docker engine: the one that DOCKER_HOST names, the machine's own, or our child process with all its files in the
 * state directory.
 *
 * @param niceness of our child process, from 0 to 19
 */
const engineOf = (niceness: number): Part<Engine> => ({
  name: 'Docker engine',
  replacedBy: 'DOCKER_HOST',
  ensure: async (setup) => {
    const real = await useReal(setup);
    if (real !== undefined) return real;
    const why = 'to run commands in disposable containers (or set DOCKER_HOST to an engine of yours)';
    const program = await ensureProgram(setup, 'dockerd', ['docker.io'], why);
    if (process.getuid?.() !== 0) {
      throw new SetupError('no Docker engine answers, and only root can start one; start it with:', [
        '  sudo systemctl start docker   (and: sudo usermod -aG docker $USER)',
      ]);
    }
    const runDir = engineRunDir(setup.stateDir, setup.stateId);
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    chmodSync(runDir, 0o700);
    const host = `unix://${join(runDir, 'docker.sock')}`;
    const path = `${setup.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;
    const child = await launch(setup, {
      name: 'docker',
      kind: 'engine',
      command: 'nice',
      args: ['-n', String(niceness), program, ...flags(setup, runDir, host)],
      env: { ...setup.env, PATH: path },
      signal: 'SIGTERM',
      graceMs: STOP_MS,
    });
    const execRoot = join(runDir, 'exec');
    setup.processes.setEngine({ host, label: setup.stateId, execRoot });
    await waitUntilReady(child, () => answers(host), READY_MS);
    yieldProcessor(setup, child.who.pid, execRoot, niceness);
    return { host, docker: dockerAt(host), own: true, child };
  },
});

/** The engine beside services. */
export const docker = engineOf(NICENESS);

/** The engine beside specs. */
export const testDocker = engineOf(TEST_NICENESS);
