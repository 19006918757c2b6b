// SPDX-License-Identifier: Apache-2.0
// JavaScript values as literals of CEL, the language of admission policies.

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };

const typeOf = (value: Json): string => {
  if (Array.isArray(value)) return 'list';
  return typeof value;
};

/**
 * A literal that equals the value in the API server. Kubernetes requires one type for all members of a literal, so
 * members of mixed types are `dyn`.
 *
 * @throws Error for a value that is not JSON, and for a fraction: the API server may hold that in two ways
 */
export function cel(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'object' || value === null) throw new Error(`\`${String(value)}\` can't be written in CEL`);
  const members = Object.values(value) as Json[];
  const isMixed = new Set(members.map(typeOf)).size > 1 || members.some((member) => typeof member === 'object');
  const literal = (member: unknown): string => (isMixed ? `dyn(${cel(member)})` : cel(member));
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${cel(name)}: ${literal(member)}`)
    .join(', ')}}`;
}
