// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOGIN_ROLES, type LoginRole } from '@writ/database';
import { Failure } from '../failure.ts';

/** A password that needs no quoting in a URL or a configuration file, and is too long to guess. */
const PASSWORD = /^[A-Za-z0-9_-]{16,128}$/;

/**
 * The passwords of the login roles, from a folder with a file for each.
 *
 * @throws Failure that names every file that is missing or wrong, and no password
 */
export function readRolePasswords(folder: string): Readonly<Record<LoginRole, string>> {
  const problems: string[] = [];
  const passwords = LOGIN_ROLES.map((role): [LoginRole, string] => {
    const path = join(folder, role);
    try {
      const password = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (!PASSWORD.test(password)) problems.push(`\`${path}\` is not 16 to 128 of A-Z, a-z, 0-9, _ and -`);
      return [role, password];
    } catch (error) {
      problems.push(`\`${path}\` can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
      return [role, ''];
    }
  });
  if (problems.length > 0) {
    throw new Failure(
      `\`WRIT_ROLE_PASSWORDS_DIR\` names a folder that lacks what the migrations need: ${problems.join('; ')}. ` +
        '`keys` makes these files, in its folder or Secret `migrate`',
    );
  }
  return Object.fromEntries(passwords) as Record<LoginRole, string>;
}
