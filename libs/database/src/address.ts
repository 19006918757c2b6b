// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** The database of a fresh server, if the URL names none. */
const DATABASE = 'writ';
/**
 * The parameter of a URL that names a file with its password, so that the password itself is in no environment
 * variable.
 */
const PASSWORD_FILE = 'password_file';
/** The database that every server has from its start, for work on roles and other databases. */
export const MAINTENANCE_DATABASE = 'postgres';

/** The database of a URL, or `writ` if the URL names none or the maintenance database. */
export function databaseOf(url: string): string {
  const named = decodeURIComponent(new URL(url).pathname.slice(1));
  return named === '' || named === MAINTENANCE_DATABASE ? DATABASE : named;
}

/** The URL for another database on the same server, and for another user if one is given. */
export function addressOf(
  url: string,
  database: string,
  user?: { readonly role: string; readonly password: string },
): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(database)}`;
  if (user) {
    // The file has the password of the URL's own user.
    if (address.searchParams.has(PASSWORD_FILE)) address.searchParams.delete(PASSWORD_FILE);
    address.username = encodeURIComponent(user.role);
    address.password = encodeURIComponent(user.password);
  }
  return address.href;
}

/**
 * The URL for the driver: with the password from the file that its `password_file` names, and without that parameter.
 */
export function resolvePassword(url: string): string {
  if (!url.includes(`${PASSWORD_FILE}=`) || !URL.canParse(url)) return url;
  const address = new URL(url);
  const file = address.searchParams.get(PASSWORD_FILE);
  if (file === null) return url;
  address.searchParams.delete(PASSWORD_FILE);
  address.password = encodeURIComponent(readPassword(file));
  return address.href;
}

function readPassword(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`the file \`${file}\` that a database's URL names by \`${PASSWORD_FILE}\` can't be read`, {
      cause,
    });
  }
  const password = text.replace(/\r?\n$/, '');
  if (password === '')
    throw new Error(`the file \`${file}\` that a database's URL names by \`${PASSWORD_FILE}\` is empty`);
  return password;
}
