// SPDX-License-Identifier: Apache-2.0
import { codeOf, MigrationFailure, prepareDatabase, schemasIn, type SchemaSource } from '@writ/database';
import { readSecretFile, VERSION } from '@writ/nest-kit/environment';
import type { MigrateConfig } from '../config.env.ts';
import { Failure, reasonOf } from '../failure.ts';
import { awaitDatabase } from './await-database.ts';
import { readRolePasswords } from './read-passwords.ts';

/** SQLSTATE: the user may not do this. */
const NOT_ALLOWED = '42501';

/**
 * Migrates the database to the state that this version needs.
 *
 * @param folder the SQL of the schemas, a folder for each
 * @returns a sentence about what was done
 * @throws Failure that names what to change
 */
export async function migrateDatabase(
  config: MigrateConfig,
  folder: string,
  print: (line: string) => void,
): Promise<string> {
  const passwords = readRolePasswords(config.WRIT_ROLE_PASSWORDS_DIR);
  const sources = await sourcesIn(folder);
  const url = adminUrl(config);
  await awaitDatabase(url, config.WRIT_START_WAIT_MS, print);
  try {
    const done = await prepareDatabase({ url, passwords, sources, release: VERSION, log: print });
    const { database, made, migrations, functions } = done;
    return `the database \`${database}\` is up to date: schemas made: ${made}, migrations applied: ${migrations}, functions applied: ${functions}`;
  } catch (error) {
    throw failureOf(error);
  }
}

async function sourcesIn(folder: string): Promise<SchemaSource[]> {
  try {
    return await schemasIn(folder);
  } catch (error) {
    throw new Failure(
      `the SQL of the schemas can't be read (${reasonOf(error)}): \`--schemas\` names its folder, ` +
        '`/opt/writ/schemas` in the image',
      error,
    );
  }
}

function adminUrl({ WRIT_ADMIN_DATABASE_URL: url, WRIT_ADMIN_DATABASE_PASSWORD_FILE: file }: MigrateConfig): string {
  if (!URL.canParse(url))
    throw new Failure(
      '`WRIT_ADMIN_DATABASE_URL` is no URL: a password in it may hold A-Z, a-z, 0-9, _ and - only, or be ' +
        'percent-encoded',
    );
  if (file === undefined) return url;
  const address = new URL(url);
  try {
    address.password = encodeURIComponent(readSecretFile('WRIT_ADMIN_DATABASE_PASSWORD_FILE', file));
  } catch (error) {
    throw new Failure(reasonOf(error), error);
  }
  return address.href;
}

function failureOf(error: unknown): Error {
  if (error instanceof MigrationFailure) {
    return new Failure(
      `${error.message}. Nothing of that was kept; mend what it names and run \`migrate\` again`,
      error,
    );
  }
  if (codeOf(error) === NOT_ALLOWED) {
    return new Failure(
      `the user of \`WRIT_ADMIN_DATABASE_URL\` may not prepare the database (${reasonOf(error)}): name a user ` +
        'with CREATEROLE and CREATEDB there',
      error,
    );
  }
  return new Failure(`the database can't be prepared: ${reasonOf(error)}`, error);
}
