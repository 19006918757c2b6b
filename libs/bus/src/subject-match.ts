// SPDX-License-Identifier: Apache-2.0

/** Answers whether a subject matches a pattern, in which `*` matches one token and a last `>` one or more. */
export function isSubjectMatch(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (const [index, want] of wanted.entries()) {
    if (want === '>') return tokens.length > index;
    if (index >= tokens.length) return false;
    if (want !== '*' && want !== tokens[index]) return false;
  }
  return wanted.length === tokens.length;
}
