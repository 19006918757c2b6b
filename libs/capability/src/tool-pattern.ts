// SPDX-License-Identifier: Apache-2.0

/*
 * A tool pattern is one of three things: `*`, every tool; `family.*`, every tool whose id goes on after `family.`, so
 * not `family` itself; or the id of one tool. A star anywhere else is an ordinary character, which no tool id contains,
 * so such a pattern grants nothing.
 */

/** Answers whether the pattern grants the tool. */
export function matchesTool(pattern: string, toolId: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.endsWith('.*')) return pattern === toolId;
  const family = pattern.slice(0, -1);
  return toolId.length > family.length && toolId.startsWith(family);
}

/**
 * Answers whether the outer pattern grants every tool of the inner one, for any future set of tools. A set of patterns
 * includes another iff each of the other's is covered by a single one of its own: no finite number of narrower patterns
 * covers a family.
 */
export function coversPattern(outer: string, inner: string): boolean {
  if (outer === '*' || outer === inner) return true;
  return (
    inner !== '*' && outer.endsWith('.*') && inner.length > outer.length - 1 && inner.startsWith(outer.slice(0, -1))
  );
}
