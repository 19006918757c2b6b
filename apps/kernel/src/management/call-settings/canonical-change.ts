// SPDX-License-Identifier: Apache-2.0
import { ANYWHERE, Fault, type CallSettingsChange } from '@writ/contract';
import { parsePath } from '@writ/workspace';

/**
 * The change with its paths as scopes compare them, each entry once. Attacker-controlled. @throws Fault `path.escape`,
 * `path.invalid`; `request.malformed` for a star that isn't the `**` before a denied name, and for a denied workspace
 */
export function canonicalChange({ allowed_paths, denied_paths, ...rest }: CallSettingsChange): CallSettingsChange {
  return {
    ...rest,
    ...(allowed_paths === undefined ? {} : { allowed_paths: unique(allowed_paths.map(allowedPath)) }),
    ...(denied_paths === undefined ? {} : { denied_paths: unique(denied_paths.map(deniedPath)) }),
  };
}

const unique = (entries: readonly string[]): string[] => [...new Set(entries)];

const allowedPath = (text: string, at: number): string => plainPath(text, `allowed_paths/${at}`);

function deniedPath(text: string, at: number): string {
  const field = `denied_paths/${at}`;
  const isAnywhere = text.startsWith(ANYWHERE);
  const path = plainPath(isAnywhere ? text.slice(ANYWHERE.length) : text, field);
  if (path === '')
    throw malformed(field, `\`${text}\` denies the whole workspace; name what to deny in it, or freeze the tenant`);
  return isAnywhere ? `${ANYWHERE}${path}` : path;
}

/** As a literal name, a star would allow or deny almost nothing, against its author's intent. */
function plainPath(text: string, field: string): string {
  if (text.includes('*'))
    throw malformed(
      field,
      `\`${text}\` has a star; an entry covers its path and everything below, and only \`${ANYWHERE}\` before a denied name is a pattern`,
    );
  return parsePath(text);
}

const malformed = (field: string, why: string): Fault =>
  new Fault('request.malformed', `\`/${field}\`: ${why}`, { pointer: `/${field}` });
