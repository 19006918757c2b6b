// SPDX-License-Identifier: Apache-2.0
import { renameSync, writeFileSync } from 'node:fs';
import { docker } from '../parts/docker.ts';
import { nats } from '../parts/nats.ts';
import { postgres } from '../parts/postgres.ts';
import { ensureSecret, newPassword } from '../parts/secret.ts';
import type { Running, Setup } from '../setup.ts';
import { addressesFile } from '../supervisor/clean-up.ts';

/** What tests find in their environment, or in `.writ/test/env.json` when they are run by themselves. */
export type TestEnvironment = Readonly<Record<string, string>>;

/** The user of tests that may do everything; the services' users are the ones that have permissions. */
const TEST_USER = 'test';
const NATS_USERS = ['orchestrator', 'kernel', 'executor', 'ledger', TEST_USER] as const;

const timed = async <T>(name: string, work: Promise<T>): Promise<T> => {
  const began = performance.now();
  const result = await work;
  process.stdout.write(`✔ ${name} (${Math.round(performance.now() - began)} ms)\n`);
  return result;
};

const withCredentials = (url: string, user: string, password: string): string => {
  const full = new URL(url);
  full.username = user;
  full.password = password;
  return full.href;
};

/** The parts that tests run against. `ended` resolves with a sentence when one of ours ends by itself. */
export const bringUpParts = async (setup: Setup): Promise<{ file: string; environment: TestEnvironment; ended: Promise<string> }> => {
  const database = await timed(postgres.name, postgres.ensure(setup));
  const bus = await timed('NATS', nats(NATS_USERS).ensure(setup));
  const engine = await timed(docker.name, docker.ensure(setup));
  const password = bus.server === null ? null : ensureSecret(setup.stateDir, `nats-${TEST_USER}`, newPassword).text;
  const environment: TestEnvironment = {
    WRIT_TEST_DATABASE_URL: database.url,
    WRIT_TEST_NATS_URL: password === null ? bus.url : withCredentials(bus.url, TEST_USER, password),
    ...(bus.server === null ? {} : { WRIT_TEST_NATS_SERVER: bus.server.program, WRIT_TEST_NATS_CONFIG: bus.server.config }),
    DOCKER_HOST: engine.host,
    WRIT_TEST_LABEL: setup.stateId,
  };
  const file = addressesFile(setup.stateDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(environment, null, 1)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  const running: Running[] = [database, bus, engine];
  const ended = Promise.race(running.flatMap(({ child }) => (child === null ? [] : [child.ended.then((how) => `${child.name} ${how}; see ${child.logFile}`)])));
  return { file, environment, ended };
};
