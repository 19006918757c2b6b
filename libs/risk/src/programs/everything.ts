// SPDX-License-Identifier: Apache-2.0

/**
 * Patterns that match any text: `.*`, `.+`, `[\s\S]*` and similar ones, without anchors, groups and the dialects'
 * backslashes.
 */
const ANY =
  /^(?:\(\?[a-z]+\))?(?:(?:\.|\[\\s\\S\]|\[\\w\\W\]|\[\\d\\D\]|\[\^\\n\]|\\N)(?:[*+]\??|\{[01],?\}\??|\??)(?:\\n\??)?)+$/;

/** Answers whether a regular expression matches all of any line. */
export function matchesEverything(pattern: string): boolean {
  const plain = pattern
    .replace(/\\([()+?{}])/g, '$1')
    .replace(/\\[AzZ]|(?<!\[)\^|\$/g, '')
    .replace(/\(\?:|\((?!\?)|\)/g, '');
  return ANY.test(plain);
}

/** The pattern and the replacement where a text begins with a substitution (`s/a/b/`, `s{a}{b}`). */
export function substitution(text: string): { readonly pattern: string; readonly put: string } | undefined {
  const open = /^s([^\w\s])/.exec(text)?.[1];
  if (open === undefined) return undefined;
  const close = CLOSES[open] ?? open;
  const [pattern, after] = upTo(text.slice(2), close);
  if (after === undefined) return undefined;
  const [put, rest] = upTo(close === open ? after : after.replace(/^\s*[{([<]/, ''), close);
  return rest === undefined ? undefined : { pattern, put };
}
const CLOSES: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '<': '>' };

/** The text before the next unescaped separator, and the text after it. */
function upTo(text: string, separator: string): readonly [string, string | undefined] {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === separator) return [text.slice(0, at), text.slice(at + 1)];
  }
  return [text, undefined];
}

/** Answers whether the text begins with a substitution that removes whole lines. */
export function clearsLine(text: string): boolean {
  const found = substitution(text);
  return found !== undefined && found.put === '' && matchesEverything(found.pattern);
}
