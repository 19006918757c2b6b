// SPDX-License-Identifier: Apache-2.0
//
// Real processes, ended by real signals.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, signal } from '../process/identity.ts';
import { launch, type Child } from '../process/launch.ts';
import { readStarted } from '../process/table.ts';
import { SetupError } from '../setup-error.ts';
import { makeSetup, type Setup } from '../setup.ts';
import { keepRunning, type RunningService, type RestartRules } from './keep-running.ts';

const RULES: RestartRules = { delayMs: 20, delayMaxMs: 80, restartsMax: 4, windowMs: 60_000 };

let setup: Setup;
let stop: AbortController;
let started: Child[];
let reported: string[];
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'writ-keep-running-'));
  setup = makeSetup(folder, join(folder, 'cache'), process.env, () => undefined);
  stop = new AbortController();
  started = [];
  reported = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(started.map((child) => child.stop(0)));
  rmSync(setup.stateDir, { recursive: true });
});

const run = async (name: string, script: string): Promise<Child> => {
  const child = await launch(setup, {
    name,
    kind: 'service',
    command: 'sh',
    args: ['-c', script],
    env: process.env,
    signal: 'SIGKILL',
    graceMs: 1_000,
  });
  started.push(child);
  return child;
};
const service = async (name: string, script: string): Promise<RunningService> => ({
  child: await run(name, script),
  start: () => run(name, script),
});
const keep = (kept: RunningService, rules = RULES): Promise<void> =>
  keepRunning(kept, { stop: stop.signal, report: (line) => reported.push(line), rules });
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await delay(10);
};
const ofName = (name: string): Child[] => started.filter((child) => child.name === name);

it('a killed service is restarted, its last lines are shown, and no other one is restarted', async () => {
  const [kernel, ledger] = [
    await service('kernel', 'echo the last thing it did; exec sleep 600'),
    await service('ledger', 'exec sleep 600'),
  ];
  void keep(kernel);
  void keep(ledger);
  await until(() => existsSync(kernel.child.logFile));
  signal(kernel.child.who, 'SIGKILL');
  await until(() => ofName('kernel').length === 2);
  const again = ofName('kernel')[1]!;
  expect(isAlive(again.who)).toBe(true);
  expect([ofName('ledger').length, isAlive(ledger.child.who)]).toEqual([1, true]);
  expect(reported[0]).toContain('kernel was ended by SIGKILL');
  expect(reported).toContain('    the last thing it did');
  await until(() => readStarted(setup.stateDir).entries.length === 2);
  expect(
    readStarted(setup.stateDir)
      .entries.map(({ who }) => who.pid)
      .sort(),
  ).toEqual([again.who.pid, ledger.child.who.pid].sort());

  signal(again.who, 'SIGKILL');
  await until(() => ofName('kernel').length === 3);
});

it('a service that ends at each start is restarted with growing pauses, up to the limit', async () => {
  const failure = await keep(await service('kernel', 'echo no such database; sleep 0.05; exit 3')).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SetupError);
  expect((failure as SetupError).message).toBe(
    'kernel ended with status 3. It was restarted 4 times within 60 s and is not restarted again. Its last lines:',
  );
  expect((failure as SetupError).details).toContain('no such database');
  expect(started.length).toBe(1 + RULES.restartsMax);
  expect(
    reported.filter((line) => line.includes('restarting')).map((line) => /in ([\d.]+ s) \((\d)/.exec(line)?.slice(1)),
  ).toEqual([
    ['0 s', '1'],
    ['0 s', '2'],
    ['0.1 s', '3'],
    ['0.1 s', '4'],
  ]);
});

it('a failed start counts as an end, and its reason is shown', async () => {
  let starts = 0;
  const { child } = await service('kernel', 'sleep 0.05; exit 1');
  const start = async (): Promise<Child> => {
    starts += 1;
    if (starts < 3) throw new SetupError('kernel ended with status 1 before it was ready', ['its port is taken']);
    return run('kernel', 'exec sleep 600');
  };
  void keep({ child, start });
  await until(() => started.length === 2);
  expect(reported.filter((line) => line.includes('its port is taken'))).toHaveLength(2);
  expect(reported).toContain('    kernel ended with status 1 before it was ready');
  expect(reported.filter((line) => line.includes('kernel could not be restarted'))).toHaveLength(2);
});

it('restarts before the window do not count', async () => {
  let now = 0;
  const kept = await service('kernel', 'exec sleep 600');
  const ended = keepRunning(kept, {
    stop: stop.signal,
    report: () => undefined,
    rules: { ...RULES, restartsMax: 1, windowMs: 1_000 },
    now: () => now,
  });
  ended.catch(() => undefined);
  for (let restarts = 0; restarts < 3; restarts += 1) {
    const current = started.at(-1)!;
    now += 1_000;
    process.kill(current.who.pid, 'SIGKILL');
    await until(() => started.at(-1) !== current);
  }
  process.kill(started.at(-1)!.who.pid, 'SIGKILL');
  await expect(ended).rejects.toThrow('restarted 1 times');
});

it('a service that ends with the run is not restarted', async () => {
  const { child, start } = await service('kernel', 'exec sleep 600');
  const kept = keep({ child, start });
  stop.abort();
  signal(child.who, 'SIGKILL');
  await kept;
  expect([started.length, reported]).toEqual([1, []]);
});

it('the end of a run cancels pending restarts', async () => {
  const kept = keep(await service('kernel', 'sleep 0.05; exit 1'), { ...RULES, delayMs: 600_000, delayMaxMs: 600_000 });
  await until(() => reported.length > 0);
  stop.abort();
  await kept;
  expect(started.length).toBe(1);
});
