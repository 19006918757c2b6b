// SPDX-License-Identifier: Apache-2.0
import { findMigrations, migrate, provisionRoles, type LoginRole } from '@writ/database';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';

/** How the processes reach their database. */
export interface Schema {
  /** Connection URL of a login role. */
  readonly urlFor: (role: LoginRole) => string;
}

/** Makes the database, its roles and its schemas, and applies the migrations that it lacks. */
export const ensureSchema = async (setup: Setup, url: string, passwords: Readonly<Record<LoginRole, string>>): Promise<Schema> => {
  const { ownerUrl, urlFor } = await provisionRoles({ url, passwords });
  for (const { schema, dir } of await findMigrations(setup.checkout)) {
    try {
      await migrate({ url: ownerUrl, schema, dir, log: setup.report });
    } catch (cause) {
      throw new SetupError(`the schema \`${schema}\` cannot be brought up to date: ${cause instanceof Error ? cause.message : String(cause)}`, [
        `if nothing in it is worth keeping, delete ${setup.stateDir} and start again`,
      ], cause);
    }
  }
  return { urlFor };
};
