// SPDX-License-Identifier: Apache-2.0
// The forms of texts in words, by the expressions of schemas that don't describe themselves. Schemas of tools are part
// of their digests and schemas of messages are shared, so a description here changes neither. A spec of the API finds
// an expression that has no words.

const TOOL_ID = 'the id of a tool, such as `fs.read`: small letters, digits, `_`, and `.` between its parts';
const TOOL_PATTERN = 'a tool such as `fs.read`, a family such as `fs.*`, or `*` for all';
const WORD = 'one to 128 letters, digits, `.`, `_`, `:`, `/` and `-`';
const VARIABLE = 'capital letters, digits and `_`, a letter first, 64 characters at most: `NPM_TOKEN`';

const FORMS: ReadonlyMap<string, string> = new Map([
  ['^(\\*|[a-z][a-z0-9_]*(\\.[A-Za-z0-9_-]+)*(\\.\\*)?)$', TOOL_PATTERN],
  ['^(\\*|[a-z0-9_]+(\\.[a-z0-9_]+)*(\\.\\*)?)$', TOOL_PATTERN],
  ['^[a-z0-9_]+(\\.[a-z0-9_]+)*$', TOOL_ID],
  ['^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$', TOOL_ID],
  ['^[a-z][a-z0-9_]*(\\.[A-Za-z0-9_-]+)*$', TOOL_ID],
  ['^[a-z][a-z0-9_.]{0,63}$', TOOL_ID],
  ['^[a-z][a-z0-9-]*:(read|write)$', 'a group of routes and `read` or `write`: `approvals:read`'],
  ['^[\\x21-\\x7e]{1,255}$', 'one to 255 visible ASCII characters, without spaces'],
  ['^[A-Za-z0-9._:/-]{1,128}$', WORD],
  ['^[a-z0-9_.-]{1,64}$', 'one to 64 small letters, digits, `_`, `.` and `-`'],
  [
    '^(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)*$',
    'a host in small letters such as `api.example.org`, or `*.example.org` for all below',
  ],
  ['^[A-Z][A-Z0-9_]{0,63}$', VARIABLE],
  ['^[A-Z_][A-Z0-9_]{0,63}$', 'capital letters, digits and `_`, no digit first, 64 characters at most'],
  ['^[!#-\\[\\]-~]{1,128}$', 'an OAuth scope: one to 128 visible ASCII characters without `"` and `\\`'],
  ['^[^\\x00]*$', 'a text without NUL'],
  ['^[A-Za-z0-9_-]{43}$', '32 bytes as base64url: 43 characters'],
  ['^[0-9a-f]{64}$', 'a SHA-256: 64 hexadecimal digits in lower case'],
  ['^snap_[0-9a-f]{64}$', 'a snapshot: `snap_` and 64 hexadecimal digits'],
  ['^delta_[0-9a-f]{64}$', 'a delta: `delta_` and 64 hexadecimal digits'],
]);

/** The form of a text that an expression describes, in words; undefined for an expression that has none here. */
export const formInWords = (pattern: string): string | undefined => FORMS.get(pattern);
