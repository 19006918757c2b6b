// SPDX-License-Identifier: Apache-2.0

/** What the address of an administration page says. */
export interface AdministrationSearch {
  /** the row whose details are shown, by its id or name */
  readonly chosen?: string;
  /** which part of a list is shown; each page says which parts it has */
  readonly show?: string;
}

const LENGTH_MAX = 256;

/** The members of an address that these pages know; others, and wrong values, are left out. */
export function readAdministrationSearch(given: Readonly<Record<string, unknown>>): AdministrationSearch {
  const text = (name: 'chosen' | 'show'): Record<string, string> => {
    const value = given[name];
    return typeof value === 'string' && value !== '' && value.length <= LENGTH_MAX ? { [name]: value } : {};
  };
  return { ...text('chosen'), ...text('show') };
}
