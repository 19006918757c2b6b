// SPDX-License-Identifier: Apache-2.0
import { findSchemas, MigrationFailure, prepareDatabase, type LoginRole } from '@writ/database';
import { VERSION } from '@writ/nest-kit/environment';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';

/** The services' database URLs. */
export interface Schema {
  /** Connection URL of a login role. */
  readonly urlFor: (role: LoginRole) => string;
}

/** Creates the database and its roles, and migrates its schemas. */
export const ensureSchema = async (
  setup: Setup,
  url: string,
  passwords: Readonly<Record<LoginRole, string>>,
): Promise<Schema> => {
  try {
    return await prepareDatabase({
      url,
      passwords,
      sources: await findSchemas(setup.checkout),
      release: VERSION,
      log: setup.report,
    });
  } catch (cause) {
    if (!(cause instanceof MigrationFailure)) throw cause;
    throw new SetupError(
      cause.message,
      [`if nothing in it is worth keeping, delete ${setup.stateDir} and start again`],
      cause,
    );
  }
};
