// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** Where a schema's generator writes, relative to the schema. */
const OUTPUT = /^\s*output\s*=\s*"([^"]+)"/m;

/** Inside the generated folder, so that it is deleted with that folder. */
const STAMP = '.stamp';

/** Prisma schemas of the workspace's projects. */
export const findSchemas = (checkout: string): string[] =>
  ['apps', 'libs']
    .flatMap((kind) =>
      readdirSync(join(checkout, kind)).map((name) => join(checkout, kind, name, 'prisma', 'schema.prisma')),
    )
    .filter(existsSync);

const stampOf = (checkout: string, schema: string): string => {
  const prisma = readFileSync(join(checkout, 'node_modules', 'prisma', 'package.json'));
  return createHash('sha256').update(prisma).update(readFileSync(schema)).digest('hex');
};

/**
 * Generates a schema's client unless it exists.
 *
 * @throws SetupError with Prisma's own messages
 */
export const generateClient = async (
  checkout: string,
  schema: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> => {
  const output = OUTPUT.exec(readFileSync(schema, 'utf8'))?.[1];
  if (output === undefined) throw new SetupError(`\`${schema}\` has a generator without an output`);
  const stampFile = join(resolve(dirname(schema), output), STAMP);
  const stamp = stampOf(checkout, schema);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const prisma = join(checkout, 'node_modules', 'prisma', 'build', 'index.js');
  // Generating needs no engine; naming one prevents its download.
  const settings = {
    PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false',
    CHECKPOINT_DISABLE: '1',
    DATABASE_URL: 'postgres://unused@127.0.0.1/unused',
  };
  const { status, tail } = await runProgram(process.execPath, [prisma, 'generate', '--schema', schema], {
    ...env,
    ...settings,
  });
  if (status !== 0) throw new SetupError(`prisma generate failed for \`${schema}\``, tail);
  writeFileSync(stampFile, stamp);
};
