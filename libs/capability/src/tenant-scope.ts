// SPDX-License-Identifier: Apache-2.0
import { ANYWHERE, type CallSettings, type ScopeRoot } from '@writ/contract';

/**
 * The paths of a tenant's settings as the roots of a scope. INVARIANT (one more scope): they join the scopes of a
 * call's tokens, and a path is reached only where every scope reaches it. So they narrow what tokens grant and can
 * grant nothing themselves.
 */
export function tenantScope({
  allowed_paths,
  denied_paths,
}: Pick<CallSettings, 'allowed_paths' | 'denied_paths'>): ScopeRoot[] {
  return [
    ...allowed_paths.map((path): ScopeRoot => ({ path, read: true, write: true })),
    ...denied_paths.map((path): ScopeRoot => {
      const denied = { read: false, write: false, denied: true } as const;
      return path.startsWith(ANYWHERE)
        ? { path: path.slice(ANYWHERE.length), ...denied, anywhere: true }
        : { path, ...denied };
    }),
  ];
}
