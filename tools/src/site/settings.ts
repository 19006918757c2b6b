// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { SetupError } from '../setup-error.ts';

/** The settings of a site's build. */
export interface SiteSettings {
  /** the site's path on its server, with a slash at either end: WRIT_DOCS_BASE */
  readonly base: string;
  /** the address of the repository's files, with a slash at its end: WRIT_DOCS_REPOSITORY */
  readonly repository: string | undefined;
  readonly outDir: string;
}

/**
 * Reads the settings of a build.
 *
 * @throws SetupError for an invalid address
 */
export const readSettings = (checkout: string, env: Readonly<Record<string, string | undefined>>): SiteSettings => {
  const { WRIT_DOCS_BASE: base = '/docs/', WRIT_DOCS_REPOSITORY: repository, WRIT_DOCS_OUT: out } = env;
  if (!/^\/(?:[\w.-]+\/)*$/.test(base)) throw new SetupError('`WRIT_DOCS_BASE` is not a path like `/docs/`');
  if (repository !== undefined && !/^https?:\/\/\S+\/$/.test(repository))
    throw new SetupError('`WRIT_DOCS_REPOSITORY` is not an address with a slash at its end');
  return { base, repository, outDir: out ?? join(checkout, 'dist', 'docs') };
};
