// SPDX-License-Identifier: Apache-2.0

/**
 * Characters that change how a terminal or a page shows the text around them: controls but for the line end and the
 * tab, among them the escape that begins a terminal sequence, and marks of direction.
 */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A text of a tenant as a client may show it to its user. Clients print descriptions as they are, so one with terminal
 * sequences could forge what the user sees of other tools.
 */
export const shownText = (text: string): string => text.replaceAll(HIDDEN, '\ufffd');

/**
 * A JSON Schema whose titles and descriptions are shown texts. Everything that checks values stays as it is. A schema
 * of an MCP server may ask for arguments in headers: that is for its own clients, and nothing here compares the two.
 */
export function shownSchema<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(shownSchema) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'x-mcp-header' || typeof value !== 'string')
      .map(([key, value]: [string, unknown]) => [
        key,
        (key === 'description' || key === 'title') && typeof value === 'string' ? shownText(value) : shownSchema(value),
      ]),
  ) as T;
}
