// SPDX-License-Identifier: Apache-2.0
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { newPassword } from '@writ/nest-kit/keys';
import { bundleAgent } from '../build/bundle-agent.ts';
import { testDocker, type Engine } from '../parts/docker.ts';
import { ensureBase } from '../parts/image-base.ts';
import { ensureSandboxImage, type SandboxImage } from '../parts/image.ts';
import { nats, type Nats } from '../parts/nats.ts';
import { testPostgres, type Postgres } from '../parts/postgres.ts';
import { ensureProgram } from '../parts/packages.ts';
import { ensureSecret } from '../parts/secret.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { runPlan, type Step } from '../steps.ts';
import { addressesFile } from '../supervisor/clean-up.ts';

/** Variables of the test environment, or `.writ/test/env.json` for tests that run by themselves. */
export type TestEnvironment = Readonly<Record<string, string>>;

/**
 * A user with all rights. The rights of each service's user are tested on servers that those tests start themselves.
 */
const TEST_USER = 'test';

const testNats = nats({
  users: [TEST_USER],
  config: ({ port, storeDir, passwords }) => `\
host: 127.0.0.1
port: ${port}
jetstream { store_dir: ${JSON.stringify(storeDir)} }
authorization { user: ${TEST_USER}, password: ${JSON.stringify(passwords[TEST_USER])} }
`,
});

interface Parts {
  database?: Postgres;
  bus?: Nats;
  engine?: Engine;
  base?: string;
  image?: SandboxImage;
  chromium?: string | null;
}

const withPassword = (setup: Setup, url: string): string => {
  const full = new URL(url);
  full.username = TEST_USER;
  full.password = ensureSecret(setup.stateDir, `nats-${TEST_USER}`, newPassword).text;
  return full.href;
};

const environmentOf = (
  setup: Setup,
  { database, bus, engine, base, image, chromium }: Required<Parts>,
): TestEnvironment => ({
  WRIT_TEST_DATABASE_URL: database.url,
  WRIT_TEST_NATS_URL: bus.server === null ? bus.url : withPassword(setup, bus.url),
  ...(bus.server === null
    ? {}
    : { WRIT_TEST_NATS_SERVER: bus.server.program, WRIT_TEST_NATS_CONFIG: bus.server.config }),
  DOCKER_HOST: engine.host,
  WRIT_TEST_SANDBOX_BASE: base,
  WRIT_TEST_SANDBOX_IMAGE: image.reference,
  WRIT_TEST_SANDBOX_IMAGE_DIGEST: image.digest,
  WRIT_TEST_LABEL: setup.stateId,
  ...(chromium === null ? {} : { WRIT_TEST_CHROMIUM: chromium }),
});

/** A browser for the page that verifies receipts. Null where none can be installed: its tests are skipped. */
const browser = async (setup: Setup): Promise<string | null> => {
  try {
    return await ensureProgram(setup, 'chromium', ['chromium'], 'to verify a receipt in a browser');
  } catch (error) {
    if (error instanceof SetupError) return null;
    throw error;
  }
};

/** The environment that running infrastructure has saved. */
export const readEnvironment = (stateDir: string): TestEnvironment =>
  JSON.parse(readFileSync(addressesFile(stateDir), 'utf8')) as TestEnvironment;

function writeEnvironment(stateDir: string, environment: TestEnvironment): void {
  const file = addressesFile(stateDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(environment, null, 1)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The steps that start each part, in the order of their dependencies. Fills `parts`. */
const planOf = (setup: Setup, parts: Parts, inParallel: readonly Step[]): readonly (Step | readonly Step[])[] => {
  const engine = (): Engine => parts.engine as Engine;
  return [
    {
      title: testPostgres.name,
      run: async (step) => {
        parts.database = await testPostgres.ensure(step);
      },
    },
    {
      title: testNats.name,
      run: async (step) => {
        parts.bus = await testNats.ensure(step);
      },
    },
    {
      title: testDocker.name,
      run: async (step) => {
        parts.engine = await testDocker.ensure(step);
        return engine().host;
      },
    },
    [
      ...inParallel,
      // One after another, since both may install packages.
      {
        title: 'Sandbox base image, browser',
        run: async (step) => {
          parts.base = await ensureBase(step, engine().docker);
          parts.chromium = await browser(step);
          return parts.chromium ?? 'no browser: what is tested in one is skipped, by name';
        },
      },
    ],
    {
      title: 'Sandbox image',
      run: async (step) => {
        await bundleAgent(setup.checkout);
        parts.image = await ensureSandboxImage(step, engine().docker, parts.base as string);
      },
    },
  ];
};

/**
 * The infrastructure for tests. `ended` resolves with a sentence when one of our processes ends by itself.
 *
 * @param inParallel runs while the base image is made, which mostly waits for packages
 */
export const bringUpParts = async (
  setup: Setup,
  inParallel: readonly Step[] = [],
): Promise<{ environment: TestEnvironment; ended: Promise<string> }> => {
  const parts: Parts = {};
  await runPlan(setup, planOf(setup, parts, inParallel));
  const environment = environmentOf(setup, parts as Required<Parts>);
  writeEnvironment(setup.stateDir, environment);
  const children = [parts.database, parts.bus, parts.engine]
    .map((part) => part?.child)
    .filter((child) => child !== null && child !== undefined);
  const ends = children.map((child) => child.ended.then((how) => `${child.name} ${how}; see ${child.logFile}`));
  // Without our own child processes this never resolves.
  return { environment, ended: Promise.race([...ends, new Promise<string>(() => undefined)]) };
};
