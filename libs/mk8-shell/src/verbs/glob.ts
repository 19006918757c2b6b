// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';

/**
 * Compiles a pattern with `*`, `**`, `?` and `[…]` to a test of names or paths. `*` stops at a slash; `**` with a slash
 * matches any folders, or none.
 */
export function globTest(pattern: string): (path: string) => boolean {
  const expression = RE2JS.compile(`^(?:${translate(pattern)})$`);
  return (path) => expression.matcher(path).find();
}

function translate(pattern: string): string {
  return pattern.replaceAll(/\*\*\/|\*\*|\*|\?|\[[!^]?[^\]/[\\]+\]|[\s\S]/gu, (token) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    return token.length > 2 && token.startsWith('[') ? classOf(token) : RE2JS.quote(token);
  });
}

function classOf(token: string): string {
  const expression = token.replace(/^\[!/, '[^').replaceAll(/[&~|]/g, '\\$&');
  try {
    RE2JS.compile(expression);
    return expression;
  } catch {
    return RE2JS.quote(token);
  }
}
