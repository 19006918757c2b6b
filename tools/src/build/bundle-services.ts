// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { SERVICES, type ServiceName } from '../supervisor/services.ts';
import { PACKAGES_FILE } from './bundled-packages.ts';
import { SERVICE_FILE } from './start-program.ts';

/** Programs that run before the services and start in the same way. */
const SETUP = 'setup';
export type Program = ServiceName | typeof SETUP;

/** All bundles; the image contains them. */
export const PROGRAMS: readonly Program[] = [...SERVICES, SETUP];

/**
 * The file that starts a service: it checks the version of Node.js and loads the bundle in the same folder. It is not
 * in apps/<service>/dist, which the build's cache saves and restores.
 */
export const serviceProgram = (checkout: string, service: Program): string =>
  join(checkout, 'dist', 'services', service, 'main.js');

/**
 * The program of the thread that verifies signatures. Each service finds it by this name in the folder of its bundle.
 */
const SODIUM_THREAD = 'libs/signing/dist/ed25519/sodium-thread.js';

/** The same for the thread that reads web pages. */
const PAGE_READER = 'apps/executor/dist/runners/page-reader.js';

/**
 * The same for information stores: the thread that compares vectors, and the process of the model of embeddings. The
 * latter's runtime is an import of its own, which fails with a message where it isn't installed.
 */
const OF_STORES = [
  'libs/info-store-pg/dist/vector-scan.worker.js',
  'libs/embedding-onnx/dist/engine-program.js',
] as const;
/** The same for the program of the process that transcribes. */
const HEARING_PROGRAM = 'libs/transcription-local/dist/hearing-program.js';

/** Services with a pool of worker threads, and so with a program for them. */
const POOLED: ReadonlySet<Program> = new Set<Program>(['kernel', 'executor', 'orchestrator']);

const entriesOf = (service: Program): readonly string[] => [
  `apps/${service}/dist/main.js`,
  ...(service === SETUP ? [] : [SODIUM_THREAD]),
  ...(POOLED.has(service) ? [`apps/${service}/dist/${service}.worker.js`] : []),
  ...(service === 'executor' ? [PAGE_READER, HEARING_PROGRAM, ...OF_STORES] : []),
];

/**
 * Whether all inputs of a bundle are unchanged since it was made. Tests use libs/testing/src/fresh-service.ts, which
 * reads the same file.
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
    // It was never bundled, incompletely bundled, or an input is missing.
    return false;
  }
}

/**
 * Bundles the imports of each service into one file, and the programs of its threads into files beside it. A service
 * has some two thousand modules, and resolving them is most of its start time. Skips a service whose inputs are
 * unchanged.
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
