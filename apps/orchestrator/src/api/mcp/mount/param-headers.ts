// SPDX-License-Identifier: Apache-2.0
//
// Arguments that a client repeats in headers, as a tool's schema asks for (`x-mcp-header`, revision 2026-07-28): what
// routes by a header must not see another value than the call has. The SDK checks this for tools that it lists itself.
import type { McpRemoteTool } from '@writ/contract';
import { isObject } from './mount-results.ts';

/** An argument that has a header. */
interface Declaration {
  readonly path: readonly string[];
  /** without its prefix */
  readonly header: string;
  readonly isNumber: boolean;
}

const PREFIX = 'mcp-param-';
/** RFC 9110 §5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;

const declarations = new WeakMap<McpRemoteTool, readonly Declaration[]>();

/**
 * The header that doesn't say what an argument says, in words; null where all do.
 *
 * @param args attacker-controlled
 * @param header of the request, by its name in small letters
 */
export function headerMismatch(
  tool: McpRemoteTool,
  args: Readonly<Record<string, unknown>>,
  header: (name: string) => string | undefined,
): string | null {
  let declared = declarations.get(tool);
  if (declared === undefined) declarations.set(tool, (declared = [...declaredIn(tool.inputSchema, [])]));
  for (const { path, header: name, isNumber } of declared) {
    const value = path.reduce<unknown>((of, key) => (isObject(of) ? of[key] : undefined), args);
    const said = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    const sent = header(`${PREFIX}${name.toLowerCase()}`);
    if (typeof said !== 'string') {
      // INVARIANT (says what the call has): a header of an argument that isn't there would let what routes by it see a
      // value that the call doesn't have.
      if (sent !== undefined) return `the header \`Mcp-Param-${name}\` repeats an argument that the call does not have`;
      continue;
    }
    if (sent === undefined) return `the header \`Mcp-Param-${name}\` is missing`;
    const decoded = decodedValue(sent);
    if (decoded === null) return `the header \`Mcp-Param-${name}\` is not encoded as it says`;
    const isSame = isNumber && DECIMAL.test(decoded) ? Number(decoded) === value : decoded === said;
    if (!isSame) return `the header \`Mcp-Param-${name}\` has another value than the argument`;
  }
  return null;
}

/** Only members of members count: a declaration anywhere else makes a definition that clients leave out. */
function* declaredIn(schema: unknown, path: readonly string[]): Generator<Declaration> {
  if (!isObject(schema)) return;
  const { 'x-mcp-header': header, type, properties } = schema;
  if (typeof header === 'string' && TOKEN.test(header) && path.length > 0)
    yield { path, header, isNumber: type === 'integer' || type === 'number' };
  if (!isObject(properties)) return;
  for (const [name, member] of Object.entries(properties)) yield* declaredIn(member, [...path, name]);
}

function decodedValue(value: string): string | null {
  const [, encoded] = ENCODED.exec(value) ?? [];
  if (encoded === undefined) return value;
  if (!BASE64.test(encoded)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}
