// SPDX-License-Identifier: Apache-2.0

/**
 * The pattern of a text without control characters, which people read in one line. Each dialect of regular expressions
 * reads `\x`: JavaScript's, Python's and RE2. RE2 has no `\u`, and Python's has no `\p`.
 */
export const ONE_LINE = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
