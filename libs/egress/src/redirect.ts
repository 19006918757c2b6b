// SPDX-License-Identifier: Apache-2.0
import { parseUrl, TargetError, urlOf, type EgressTarget } from './target.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The target of a redirect of a `GET`, or null if it isn't one. The caller MUST check the target like that of a new
 * request. Never from `https` to `http`, where anybody on the path could answer. @throws TargetError
 */
export function redirectOf(from: EgressTarget, status: number, location: string | undefined): EgressTarget | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  const url = URL.parse(location, urlOf(from));
  if (url === null) throw new TargetError('the answer leads to no URL');
  url.hash = '';
  const target = parseUrl(url.href);
  if (from.scheme === 'https' && target.scheme === 'http')
    throw new TargetError('the answer leads from `https` to `http`');
  return target;
}
