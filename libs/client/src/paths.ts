// SPDX-License-Identifier: Apache-2.0
import { UsageError } from './errors.ts';

/** Values of a query: a missing one is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The path of a request. INVARIANT (one route): no parameter can lead to another route. A URL parser resolves `.` and
 * `..`, percent-encoded too, so they are refused.
 *
 * @param rest the parameters that are the rest of the path, and contain `/`
 * @throws UsageError
 */
export function pathOf(
  template: string,
  values: readonly unknown[],
  rest: readonly string[] = [],
  query: Query = {},
): string {
  let place = 0;
  const path = template.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => {
    const value = values[place++];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new UsageError(`\`${name}\` is missing: it is part of the path \`${template}\``);
    const text = String(value);
    const segments = rest.includes(name) ? text.split('/') : [text];
    for (const segment of segments) requireSegment(segment, name);
    return segments.map((segment) => encodeURIComponent(segment)).join('/');
  });
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

function requireSegment(segment: string, name: string): void {
  if (segment === '' || segment === '.' || segment === '..')
    throw new UsageError(`\`${name}\` can't be empty, \`.\` or \`..\`, nor have such a part: it is part of a path`);
  // A lone surrogate can't be encoded: `encodeURIComponent` throws an error that names nothing.
  if (!segment.isWellFormed()) throw new UsageError(`\`${name}\` is not well-formed Unicode`);
}

/** The address of the API, without a slash at its end. @throws UsageError */
export function addressOf(url: string | URL | undefined): string {
  if (url === undefined || url === '')
    throw new UsageError('`url` is missing: pass the address of the API, such as `http://127.0.0.1:7480`');
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new UsageError(`\`${String(url)}\` is no URL: pass one such as \`http://127.0.0.1:7480\``, { cause });
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw new UsageError(`\`${parsed.protocol}\` is not supported: \`url\` begins with \`http:\` or \`https:\``);
  if (parsed.username !== '' || parsed.password !== '')
    throw new UsageError('`url` contains a password: pass the key as `apiKey`');
  if (parsed.search !== '' || parsed.hash !== '')
    throw new UsageError('`url` has a query or a fragment: pass the address of the API alone');
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
}
