// SPDX-License-Identifier: Apache-2.0
// What an address says is attacker-controlled: a page takes the members that it knows, of the shape that it knows.

export type AddressMembers = Readonly<Record<string, unknown>>;

/** Those of the named members that are texts, and not empty. */
export const textsOf = <Name extends string>(
  given: AddressMembers,
  ...names: readonly Name[]
): { readonly [name in Name]?: string } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    }),
  ) as { readonly [name in Name]?: string };
