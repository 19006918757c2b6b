// SPDX-License-Identifier: Apache-2.0

/** One component of a calendar that can't be read. It is left out of results and counted; the others are read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
