// SPDX-License-Identifier: Apache-2.0

/** The database of a fresh server, where the URL names none of its own. */
const DATABASE = 'writ';
/** The database that every server is made with: for looking after roles and other databases. */
export const MAINTENANCE_DATABASE = 'postgres';

/** The database that a URL means: its own, or `writ` where it names none or the maintenance database. */
export function databaseOf(url: string): string {
  const named = decodeURIComponent(new URL(url).pathname.slice(1));
  return named === '' || named === MAINTENANCE_DATABASE ? DATABASE : named;
}

/** The same server, another database, and another user if one is given. */
export function addressOf(url: string, database: string, user?: { readonly role: string; readonly password: string }): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(database)}`;
  if (user) {
    address.username = encodeURIComponent(user.role);
    address.password = encodeURIComponent(user.password);
  }
  return address.href;
}
