// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../tools/definition.ts';
import { REDACTION_LIMITS } from './pointers.ts';

/** A rule that redacts members of a call's result, and its pointers to them. */
export const AppliedRedaction = Type.Object(
  {
    rule: Type.String({ maxLength: 128 }),
    pointers: Type.Array(Type.String({ maxLength: REDACTION_LIMITS.chars }), {
      minItems: 1,
      maxItems: REDACTION_LIMITS.pointers,
      description: 'JSON pointers into the result; `*` is every member and every item',
    }),
  },
  { additionalProperties: false },
);
export type AppliedRedaction = Static<typeof AppliedRedaction>;
export const AppliedRedactions = Type.Array(AppliedRedaction, { minItems: 1, maxItems: 64 });

/** A result of which single members can be redacted. */
export interface RedactableResult {
  /** the schema that its author declared for it; null: any JSON */
  readonly schema: object | null;
  /** pointers to members that repeat the others in another form, and are redacted with any of them */
  readonly copies: readonly string[];
}

/**
 * The result of a tool as rules may redact it; null for a tool whose result they can't. INVARIANT (one copy): a tool is
 * listed here only if its result is one JSON value that no schema of ours is checked against, and that is neither shown
 * while the call runs nor kept elsewhere. The output of a command is all of that. A function that its caller runs gives
 * the caller its result before Writ sees it.
 */
export function redactableResult(
  tool: Pick<ToolDefinition, 'http' | 'mcp' | 'function' | 'result' | 'schemas'>,
): RedactableResult | null {
  if (tool.http !== undefined) return { schema: tool.result, copies: [] };
  // The parts of an answer for people repeat its structured part as text, and a question can repeat any of it.
  if (tool.mcp !== undefined)
    return { schema: tool.result, copies: tool.mcp.asks === undefined ? ['/content'] : ['/content', '/asks'] };
  if (tool.function?.mode === 'pull') return { schema: tool.schemas?.result ?? null, copies: [] };
  return null;
}

/** All pointers that are redacted of a call's result: those of the rules, and those to copies of any member. */
export function redactionPointers(
  redactions: readonly AppliedRedaction[] | null,
  { copies }: Pick<RedactableResult, 'copies'>,
): string[] {
  if (redactions === null || redactions.length === 0) return [];
  return [...new Set([...redactions.flatMap(({ pointers }) => pointers), ...copies])];
}
