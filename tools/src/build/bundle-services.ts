// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { SERVICES, type ServiceName } from '../supervisor/services.ts';
import { PACKAGES_FILE } from './bundled-packages.ts';
import { SERVICE_FILE } from './start-program.ts';

/** What runs before the services and is started as they are. */
const SETUP = 'setup';
export type Program = ServiceName | typeof SETUP;

/** All that is joined and that the image holds. */
export const PROGRAMS: readonly Program[] = [...SERVICES, SETUP];

/**
 * What a service is started by: it checks the version of Node.js and loads the one file that lies beside it. Apart from
 * what the compiler makes: apps/<service>/dist is what the build's cache keeps and puts back.
 */
export const serviceProgram = (checkout: string, service: Program): string =>
  join(checkout, 'dist', 'services', service, 'main.js');

/**
 * The program of the thread that verifies signatures, which each service starts by the name it has beside the service's
 * own file.
 */
const SODIUM_THREAD = 'libs/signing/dist/ed25519/sodium-thread.js';

/** The same for the thread that reads pages. */
const PAGE_READER = 'apps/executor/dist/runners/page-reader.js';

/** Services that have a pool of worker threads, and so a program for them beside their own. */
const POOLED: ReadonlySet<Program> = new Set<Program>(['kernel', 'executor', 'orchestrator']);

const entriesOf = (service: Program): readonly string[] => [
  `apps/${service}/dist/main.js`,
  ...(service === SETUP ? [] : [SODIUM_THREAD]),
  ...(POOLED.has(service) ? [`apps/${service}/dist/${service}.worker.js`] : []),
  ...(service === 'executor' ? [PAGE_READER] : []),
];

/**
 * Whether all that it was joined from is as it was then. What tests ask is libs/testing/src/fresh-service.ts, from the
 * same file.
 */
function isFresh(checkout: string, service: Program): boolean {
  const folder = dirname(serviceProgram(checkout, service));
  try {
    const inputs = Object.entries(
      JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8')) as Record<string, string>,
    );
    return (
      [...entriesOf(service), SERVICE_FILE, PACKAGES_FILE].every((file) => existsSync(join(folder, basename(file)))) &&
      inputs.every(
        ([path, hash]) =>
          createHash('sha256')
            .update(readFileSync(join(checkout, path)))
            .digest('hex') === hash,
      )
    );
  } catch {
    // Never joined, half joined, or from a file that is gone.
    return false;
  }
}

/**
 * Joins what each service imports into one file, and the programs of its threads beside it: a service is some two
 * thousand modules, and finding them is most of its start. Skips a service whose modules are as they were.
 *
 * @throws SetupError with the bundler's errors
 */
export const bundleServices = async (checkout: string): Promise<void> => {
  for (const service of PROGRAMS) {
    if (isFresh(checkout, service)) continue;
    const script = join(import.meta.dirname, 'join-service.ts');
    const { status, tail } = await runProgram(
      process.execPath,
      [script, checkout, dirname(serviceProgram(checkout, service)), ...entriesOf(service)],
      process.env,
    );
    if (status !== 0) throw new SetupError(`the ${service} cannot be joined into one file`, tail);
  }
};
