// SPDX-License-Identifier: Apache-2.0
import { SHIPPED_RULES } from '@writ/mk8-shell';

/** Texts that mean something to the compiler, or to something that a careless one would hand them on to. */
export const WORDS: readonly string[] = [
  '', ' ', '.', '..', '../x', 'a/../../x', 'a//b', 'a/./b', '/', '/etc/passwd', '/workspace', '/workspace/a.txt', '/workspace/../etc', 'a.txt', 'src', 'src/a.md', '.git', '.git/config', '.GIT/config', 'Makefile', 'x.sh', 'x.SH', '~', 'CON', 'a\\b', 'a.', 'a ',
  '$WORKSPACE', '$workspace/a', '$WORKSPACE/../x', '$WORKSPACEX', '$CWD/x', '$USER', '$PREV', '$ITEM', '$INDEX', '$C0', '$C1', '$c1', '$GREETING', '$DEPLOY_TOKEN', '$', '$$', '${C0}', '$1', '{{KEY}}', '$$WORKSPACE',
  'C0', 'C1', 'PREV', 'ITEM', 'WORKSPACE', 'goto:end', 'goto:', 'goto:goto:end', 'end', 'greet', 'loop', 'nothing', 'constructor', '__proto__', 'hasOwnProperty', 'toString', 'valueOf',
  'git', 'switch', 'main', 'MAIN', 'feature/x', 'release/1', 'commit', '-m', '--', '--upload-pack=x', '-c', 'status', 'log', 'push', 'clone', 'npm', 'node', '--version', 'bash', 'python', 'wc', '-l', 'tar', '-xf', 'https://git.example.com/a/b.git',
  'http://127.0.0.1/', 'http://[::1]/', 'http://2130706433/', 'http://0x7f.1/', 'http://localhost.', 'https://example.com', 'https://example.com:22/', 'https://user:pw@example.com/', 'http://example.com\\@127.0.0.1/', 'ftp://example.com', 'https://ex\u00e4mple.com/', 'https://\u2474.example.com/',
  'example.com', 'localhost', '10.0.0.1', '169.254.169.254', '::1', '0', '1', '-1', '22', '80', '443', '65536', '1e3', '0x10', '999999999999', '1.5', 'NaN', 'Infinity', 'sha256', 'md5', 'crc', 'desc', 'eq', 'gte', 'True', 'null',
  '(a*)*', '(?i)x', '(?=x)', '[', '\\', '\\1', '(', '(?P<n>x)', '.{1000}', '(x{100}){100}', '$..*', '$[?(@.a)]', '/a/b', '$[0]', '*', '**/*', '{a,b}', '[!a]', 'a*?*?*?*b',
  '00:00:01', '00:00:00', '99:99:99', '01:00:01', '1.00:00:00', '{}', '[]', '{"a":1}', '[1', '1+2*(3', '9'.repeat(40), '(' .repeat(200), 'x'.repeat(300), 'é'.repeat(130), '\0', 'a\0b', '\r\n', '\t', '\u202e', '\u200b', '\ufeff', '\ud800', '\udc00x', '\uff0e\uff0e\uff0f', '\u2025/x', 'a\u0301', '\u{1f600}', '\u017f', '\u212a', 'İ',
  ';rm -rf /', 'rm -rf /', '$(id)', '`id`', '| sh', '&& reboot', 'DROP TABLE x', 'mkfs.ext4 /dev/sda', '.env', '.npmrc', 'id_rsa', '%2e%2e%2f', '..%00', 'file:///etc/passwd', 'javascript:1', '\\\\host\\share',
  ...SHIPPED_RULES.blacklist.map(({ pattern }) => pattern),
];

/** Values that are no texts, where one is expected. */
export const OTHERS: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], ['x'], { verb: 'Echo' }];

/** Pieces of JSON, whole and broken. */
export const PIECES: readonly string[] = [
  '{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '\\ud800', '\\u0000', '//', '/*', '*/', '\n', '\r', '\u2028', '\u00a0', '\ufeff', 'null', 'true', '-', '1e', '.', '"verb":"Echo"', '"args":[]', '{"operations":[', '"operations":', '"__proto__":{}', '"cleanup":[]', '"options":{"pipeStepOutput":true}', '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[', '{"a":{"a":{"a":',
];
