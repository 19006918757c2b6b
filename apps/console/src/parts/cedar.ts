// SPDX-License-Identifier: Apache-2.0
// The tokens of Cedar's rules, for colours alone: whether a rule is right is for the server to say.

/** What a token is shown as. */
export type CedarKind = 'comment' | 'text' | 'annotation' | 'keyword' | 'variable' | 'value' | 'type' | 'plain';

/** A part of a line. The parts of a line make up the line. */
export interface CedarToken {
  readonly kind: CedarKind;
  readonly text: string;
}

const TOKEN = /\/\/.*|"(?:[^"\\]|\\.)*"?|@[A-Za-z_]\w*|[A-Za-z_]\w*|\d+|[^\w"@/]+|[^]/gu;
const KEYWORDS = new Set(['permit', 'forbid', 'when', 'unless', 'in', 'has', 'like', 'is', 'if', 'then', 'else']);
const VARIABLES = new Set(['principal', 'action', 'resource', 'context']);
const VALUES = new Set(['true', 'false']);

/** The tokens of one line. A text that goes on in the next line is shown as one in each. */
export function cedarTokens(line: string): readonly CedarToken[] {
  const tokens: CedarToken[] = [];
  for (const { 0: text, index } of line.matchAll(TOKEN))
    tokens.push({ kind: kindOf(text, line.slice(index + text.length, index + text.length + 2)), text });
  return tokens;
}

function kindOf(text: string, next: string): CedarKind {
  if (text.startsWith('//')) return 'comment';
  if (text.startsWith('"')) return 'text';
  if (text.length > 1 && text.startsWith('@')) return 'annotation';
  if (KEYWORDS.has(text)) return 'keyword';
  if (VARIABLES.has(text)) return 'variable';
  if (VALUES.has(text) || /^\d/u.test(text)) return 'value';
  return next === '::' ? 'type' : 'plain';
}
