// SPDX-License-Identifier: Apache-2.0

/** What the address of the editor says: the set that it begins with; none: the one in force. */
export interface EditSearch {
  readonly from?: string;
}

export const readEditSearch = ({ from }: Readonly<Record<string, unknown>>): EditSearch =>
  typeof from === 'string' && from !== '' ? { from } : {};
