// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { testAddress } from '@writ/testing';
import { dockerAt } from '../parts/docker.ts';
import { findMarked } from '../process/marked.ts';
import { isAlive, type Identity } from '../process/identity.ts';
import { readStarted } from '../process/table.ts';
import { stateIdOf } from '../setup.ts';

/** The watchdog's time limit. */
const PROMISED_MS = 10_000;

/**
 * A supervisor with a process that ends when asked, one that doesn't, and one whose child is in another session and
 * without an entry. It prints a line when all are running.
 */
const PROGRAM = `
const here = ${JSON.stringify(new URL('.', import.meta.url).href)};
const { makeSetup } = await import(here + '../setup.ts');
const { launch } = await import(here + '../process/launch.ts');
const { supervise } = await import(here + 'supervise.ts');
const [dir, host] = process.argv.slice(1);
const setup = makeSetup(dir, dir + '/cache', process.env, () => undefined);
const start = (name, kind, script) => launch(setup, { name, kind, command: 'sh', args: ['-c', script], env: process.env, signal: 'SIGTERM', graceMs: 30_000 });
await supervise(setup, 'start', async ({ stop }) => {
  if (host) setup.processes.setEngine({ host, label: setup.stateId, execRoot: null });
  await start('polite', 'part', 'exec sleep 600');
  await start('stubborn', 'service', 'trap "" TERM; while :; do sleep 600; done');
  await start('parent', 'service', 'setsid sleep 600 & exec sleep 600');
  console.log('up');
  await new Promise((resolve) => stop.addEventListener('abort', resolve));
  return 7;
});
`;

let dir: string;
let supervisors: ChildProcess[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-watchdog-'));
  supervisors = [];
});
afterEach(async () => {
  for (const supervisor of supervisors) supervisor.kill('SIGKILL');
  await until(() => marked().length === 0);
  // A watchdog may still be writing its last line.
  rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await delay(20);
};
const marked = (): Identity[] => findMarked(stateIdOf(dir));

const start = async (host = ''): Promise<{ supervisor: ChildProcess; output: () => string }> => {
  const supervisor = spawn(
    process.execPath,
    ['--conditions=@writ/source', '--input-type=module', '-e', PROGRAM, dir, host],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  supervisors.push(supervisor);
  let output = '';
  for (const stream of [supervisor.stdout, supervisor.stderr])
    stream!.on('data', (chunk) => {
      output += String(chunk);
    });
  await until(() => output.includes('up\n') || supervisor.exitCode !== null);
  expect(output).toContain('up\n');
  return { supervisor, output: () => output };
};

test(
  'a supervisor that is killed leaves no process behind, listed or not',
  async () => {
    const { supervisor } = await start();
    // Three shells or their programs, the sleep of the stubborn one, and the child without an entry.
    await until(() => marked().length >= 5);
    const began = performance.now();
    supervisor.kill('SIGKILL');
    await until(() => marked().length === 0);
    expect(performance.now() - began).toBeLessThan(PROMISED_MS);
    await until(() => readStarted(dir).entries.length === 0);
  },
  2 * PROMISED_MS,
);

test(
  'when the watchdog is killed as well, the next start ends what both left behind',
  async () => {
    const { supervisor } = await start();
    const left = readStarted(dir).entries.map(({ who }) => who);
    // Unmarked children of the supervisor: the watchdog.
    const watchdog = watchdogOf(supervisor.pid!);
    supervisor.kill('SIGKILL');
    process.kill(watchdog, 'SIGKILL');
    await once(supervisor, 'exit');
    expect(left.every(isAlive)).toBe(true);
    const next = await start();
    expect(next.output()).toContain('an earlier run ended without cleaning up');
    expect(left.some(isAlive)).toBe(false);
  },
  3 * PROMISED_MS,
);

test(
  'a watchdog that is killed is replaced',
  async () => {
    const { supervisor } = await start();
    const first = watchdogOf(supervisor.pid!);
    process.kill(first, 'SIGKILL');
    await until(() => ![0, first].includes(watchdogOf(supervisor.pid!)));
    supervisor.kill('SIGKILL');
    await until(() => marked().length === 0);
  },
  2 * PROMISED_MS,
);

test(
  'one Ctrl-C, however often it arrives, ends everything in order with the body’s status',
  async () => {
    const { supervisor } = await start();
    const processes = marked();
    for (let times = 0; times < 3; times += 1) supervisor.kill('SIGINT');
    // The stubborn service gets its grace period; a second request would end it.
    await delay(1_500);
    supervisor.kill('SIGINT');
    const [status] = (await once(supervisor, 'exit')) as [number];
    expect([7, 130]).toContain(status);
    expect(processes.some(isAlive)).toBe(false);
  },
  2 * PROMISED_MS,
);

test(
  'a second Ctrl-C ends everything at once also where nobody reads the output any more',
  async () => {
    const { supervisor } = await start();
    const processes = marked();
    for (const stream of [supervisor.stdout, supervisor.stderr]) stream!.destroy();
    supervisor.kill('SIGINT');
    await delay(1_500);
    supervisor.kill('SIGINT');
    const [status] = (await once(supervisor, 'exit')) as [number];
    expect([7, 130]).toContain(status);
    expect(processes.some(isAlive)).toBe(false);
  },
  2 * PROMISED_MS,
);

test(
  'a second run on the same state directory is refused without effect',
  async () => {
    await start();
    const second = spawn(
      process.execPath,
      ['--conditions=@writ/source', '--input-type=module', '-e', PROGRAM, dir, ''],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    supervisors.push(second);
    let output = '';
    second.stderr.on('data', (chunk) => {
      output += String(chunk);
    });
    const [status] = (await once(second, 'exit')) as [number];
    expect(status).toBe(1);
    expect(output).toContain('is in use by process');
    expect(marked().length).toBeGreaterThanOrEqual(5);
  },
  2 * PROMISED_MS,
);

test('only containers and volumes of this state directory are removed', async () => {
  const host = testAddress('DOCKER_HOST');
  const docker = dockerAt(host);
  const container = async (label: string) =>
    docker.createContainer({
      Image: testAddress('WRIT_TEST_SANDBOX_IMAGE'),
      OpenStdin: true,
      Labels: { writ: label },
      HostConfig: { NetworkMode: 'none' },
    });
  const { supervisor } = await start(host);
  const [ours, others] = [await container(stateIdOf(dir)), await container(`not-${stateIdOf(dir)}`)];
  await ours.start();
  await docker.createVolume({ Name: `writ-test-${stateIdOf(dir)}`, Labels: { writ: stateIdOf(dir) } });
  const names = async (): Promise<string[]> =>
    (await docker.listContainers({ all: true, filters: { label: ['writ'] } })).map(({ Id }) => Id);
  try {
    supervisor.kill('SIGKILL');
    await until(async () => !(await names()).includes(ours.id));
    await until(() => marked().length === 0);
    expect(await names()).toContain(others.id);
    const { Volumes } = await docker.listVolumes({ filters: { label: [`writ=${stateIdOf(dir)}`] } });
    expect(Volumes ?? []).toEqual([]);
  } finally {
    await others.remove({ force: true });
  }
});

/** The pid of a supervisor's watchdog, by its command line; 0 while there is none. */
function watchdogOf(supervisor: number): number {
  const isOurs = (pid: string): boolean => {
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1];
      return parent === String(supervisor) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('watchdog.ts');
    } catch {
      return false;
    }
  };
  return Number(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .find(isOurs) ?? 0,
  );
}
