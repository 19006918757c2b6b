// SPDX-License-Identifier: Apache-2.0

/** The length of a word in provenance. */
const CHARS_MAX = 128;
/** Characters that provenance does not allow in a word. */
const FORBIDDEN = /[^A-Za-z0-9._:/-]/g;

/**
 * The name and version of a client as it claims them, as a word of provenance. Undefined without a name. Attacker-
 * controlled: other characters become `_`, and the rest is cut.
 */
export function clientWordOf(claimed: unknown): string | undefined {
  if (typeof claimed !== 'object' || claimed === null) return undefined;
  const { name, version } = claimed as { readonly name?: unknown; readonly version?: unknown };
  if (typeof name !== 'string' || name === '') return undefined;
  const parts = [name, ...(typeof version === 'string' && version !== '' ? [version] : [])];
  return parts
    .map((part) => part.slice(0, CHARS_MAX).replaceAll(FORBIDDEN, '_'))
    .join('/')
    .slice(0, CHARS_MAX);
}
