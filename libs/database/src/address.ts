// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** The database of a fresh server, where the URL names none of its own. */
const DATABASE = 'writ';
/** The parameter of a URL that names a file with its password, so that the password itself stands in no environment. */
const PASSWORD_FILE = 'password_file';
/** The database that every server is made with: for looking after roles and other databases. */
export const MAINTENANCE_DATABASE = 'postgres';

/** The database that a URL means: its own, or `writ` where it names none or the maintenance database. */
export function databaseOf(url: string): string {
  const named = decodeURIComponent(new URL(url).pathname.slice(1));
  return named === '' || named === MAINTENANCE_DATABASE ? DATABASE : named;
}

/** The same server, another database, and another user if one is given. */
export function addressOf(
  url: string,
  database: string,
  user?: { readonly role: string; readonly password: string },
): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(database)}`;
  if (user) {
    // The file has the password of the other user.
    if (address.searchParams.has(PASSWORD_FILE)) address.searchParams.delete(PASSWORD_FILE);
    address.username = encodeURIComponent(user.role);
    address.password = encodeURIComponent(user.password);
  }
  return address.href;
}

/**
 * What the driver connects to: the URL with the password of the file that its `password_file` names, and without that
 * parameter.
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
