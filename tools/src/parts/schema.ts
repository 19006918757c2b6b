// SPDX-License-Identifier: Apache-2.0
import { findMigrations, MigrationFailure, prepareDatabase, type LoginRole } from '@writ/database';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';

/** How the processes reach their database. */
export interface Schema {
  /** Connection URL of a login role. */
  readonly urlFor: (role: LoginRole) => string;
}

/** Makes the database, its roles and its schemas, and applies the migrations that it lacks. */
export const ensureSchema = async (setup: Setup, url: string, passwords: Readonly<Record<LoginRole, string>>): Promise<Schema> => {
  try {
    return await prepareDatabase({ url, passwords, sources: await findMigrations(setup.checkout), log: setup.report });
  } catch (cause) {
    if (!(cause instanceof MigrationFailure)) throw cause;
    throw new SetupError(cause.message, [`if nothing in it is worth keeping, delete ${setup.stateDir} and start again`], cause);
  }
};
