// SPDX-License-Identifier: Apache-2.0
import { bundledGrammar } from '../bundled-grammar.contract.ts';
import type { ShellGrammar } from '../shell/grammar.ts';
import { placeSecrets } from './place-secrets.ts';

let grammar: ShellGrammar;
beforeAll(async () => {
  grammar = await bundledGrammar();
});
const V = '${WRIT_SECRET_KEY}';
const S = '${secret:KEY}';
const placed = (command: string): string => {
  const result = placeSecrets(command, grammar);
  return result.ok ? result.command : `no: ${result.message}`;
};

test.each([
  ['as a word', `curl ${S}`, `curl "${V}"`],
  ['within a word', `curl --header=x-${S}/y`, `curl --header=x-"${V}"/y`],
  ['between double quotes', `curl -H "Authorization: Bearer ${S}!"`, `curl -H "Authorization: Bearer ${V}!"`],
  ['between single quotes', `curl -H 'a"b ${S}'`, `curl -H 'a"b '"${V}"''`],
  ["between $' and '", `curl $'a\\n${S}b'`, `curl $'a\\n'"${V}"$'b'`],
  ['twice', `curl ${S} "${S}"`, `curl "${V}" "${V}"`],
  [
    'as a variable before a command, whatever that is',
    `TOKEN=${S} bash -c 'echo "$TOKEN"'`,
    `TOKEN="${V}" bash -c 'echo "$TOKEN"'`,
  ],
  ['as a variable', `T=Bearer\\ ${S}; curl "$T"`, `T=Bearer\\ "${V}"; curl "$T"`],
  ['as a variable that is exported', `export T=${S} && npm publish`, `export T="${V}" && npm publish`],
  ['in a here-document', `cat <<E\nx ${S}\nE`, `cat <<E\nx ${V}\nE`],
  ['in a here-string', `cat <<< ${S}`, `cat <<< "${V}"`],
  ['in a substitution between quotes', `x="$(curl "${S}")"`, `x="$(curl "${V}")"`],
  [
    'in a pipeline, a subshell, a loop, a branch and a function',
    `f() { curl ${S}; }; if (curl ${S} | jq .); then while curl ${S}; do :; done; fi`,
    `f() { curl "${V}"; }; if (curl "${V}" | jq .); then while curl "${V}"; do :; done; fi`,
  ],
  [
    'where the text itself is meant',
    'echo $${secret:KEY} "$${secret:KEY}" \'$${secret:KEY}\'',
    "echo '${secret:KEY}' \"\\${secret:KEY}\" '${secret:KEY}'",
  ],
  ['nowhere', 'echo "$HOME" # nothing', 'echo "$HOME" # nothing'],
])('a secret is put %s', (_where, command, expected) => {
  expect(placed(command)).toBe(expected);
});

test.each([
  ['the name of a command', `${S} x`],
  ['the name of a command', `"${S}"`],
  ['a name that is worked out', `$x ${S}`],
  ['the argument of a shell', `bash -c "echo ${S}"`],
  ['the argument of a shell by its path', `/bin/sh -c 'echo ${S}'`],
  ['eval', `eval "echo ${S}"`],
  ['an interpreter', `python3 -c "print('${S}')"`],
  ['an argument beside a shell', `docker run x sh -c "${S}"`],
  ['xargs', `xargs echo ${S}`],
  ['find', `find . -exec echo ${S} \\;`],
  ['env', `env A=${S} sh`],
  ['timeout', `timeout 5 ${S}`],
  ['a shell at the end of a pipeline', `echo ${S} | bash`],
  ['a shell that reads a here-document', `bash <<E\n${S}\nE`],
  ['a shell behind a here-document', `cat <<E | sh\n${S}\nE`],
  ['a here-string of a shell', `bash <<< "${S}"`],
  ['a here-document that is quoted', `cat <<'E'\n${S}\nE`],
  ['arithmetic', `echo $((${S}+1))`],
  ['arithmetic', `(( ${S} ))`],
  ['an index', `a[${S}]=1`],
  ['a test', `[ -n ${S} ]`],
  ['a test', `[[ ${S} -eq 1 ]]`],
  ['a test by its name', `test -v ${S}`],
  ['the name of a file', `echo x > ${S}`],
  ['an expansion', `echo \${x:-${S}}`],
  ['a pattern', `case x in ${S}) ;; esac`],
  ['the words of a loop', `for x in ${S}; do :; done`],
  ['a list', `a=(${S})`],
  ['a number', `declare -i n=${S}`],
  ['a variable of a command that declares numbers', `declare -i n; n=${S}`],
  ['a variable that the shell obeys', `PS4=${S}`],
  ['a variable that the shell obeys', `BASH_ENV=${S} bash x`],
  ['backticks', `echo \`curl ${S}\``],
  ['a comment', `ls # ${S}`],
  ['what follows a backslash', `echo \\${S}`],
  ['a translated text', `echo $"${S}"`],
  ['a function', `f() { eval "$1"; }; f ${S}`],
  ['printf -v', `printf -v ${S} x`],
  ['an export of a word', `export "T=${S}"`],
  ['what is no bash', `echo "${S}`],
  ['what is no name', 'echo ${secret:key}'],
  ['a substring of a variable', 'echo ${secret:0:3}'],
  ['a broken text that is meant', 'echo "$${secret:a"b}"'],
])('a secret is refused in %s: %j', (_where, command) => {
  expect(placed(command)).toMatch(/^no: /);
});

test('placeSecrets names each secret once, and explains a refusal', () => {
  expect(placeSecrets('curl ${secret:B} ${secret:A} ${secret:B} $${secret:C}', grammar)).toMatchObject({
    ok: true,
    names: ['B', 'A'],
  });
  expect(placeSecrets('bash -c "${secret:A}"', grammar)).toMatchObject({
    ok: false,
    message: '`${secret:A}` stands in an argument of `bash`, which may run what it is given',
    hint: expect.stringContaining('`$NAME`') as string,
  });
});

test.each([
  ['arithmetic', `x=${S}; echo $((x))`],
  ['arithmetic', `x=${S}; (( x ))`],
  ['arithmetic', `x=${S}; (( y = $x + 1 ))`],
  ['`let`', `x=${S}; let y=x`],
  ['an indirect name', `x=${S}; echo \${!x}`],
  ['a test for a name', `x=${S}; [[ -v $x ]]`],
  ['a comparison', `x=${S}; [[ $x -gt 0 ]]`],
  ['a prompt', `x=${S}; echo \${x@P}`],
  ['an index', `x=${S}; echo \${a[$x]}`],
  ['a part of a value', `x=${S}; echo \${HOME:x}`],
  ['`printf -v`', `x=${S}; printf -v "$x" y`],
  ['`unset`', `x=${S}; unset "$x"`],
  ['`read`', `x=${S}; read "$x" <<< y`],
  ['a declared number', `x=${S}; y=1; declare -i n=$x`],
  ['another variable', `x=${S}; y=$x; echo $((y))`],
  ['an exported variable', `export x=${S}; bash -c 'echo $((x))'`],
  ['the variable of a command', `x=${S} bash -c 'echo $((x))'`],
  ['a parameter', `x=${S}; f() { echo $(($1)); }; f "$x"`],
  ['the words of a loop', `x=${S}; for i in $x; do echo $((i)); done`],
  ['a substitution', `x=$(curl ${S}); echo $((x))`],
  ['`eval`', `x=${S}; eval "$x"`],
  ['`eval` of more', `x=${S}; eval "echo $x"`],
  ['a shell', `x=${S}; sh -c "echo $x"`],
  ['the name of a command', `x=${S}; $x`],
  ['an interpreter', `x=${S}; python3.11 -c "print('$x')"`],
  ['a shell behind a pipe', `x=${S}; echo "$x" | sh`],
  ['an interpreter of a version', `python3.11 -c "print('${S}')"`],
  ['a shell of a version', `bash5 -c 'echo ${S}'`],
])('a secret that %s would turn into code by a variable is refused: %j', (_where, command) => {
  expect(placed(command)).toMatch(/^no: /);
});

test.each([
  `x=${S}; curl -H "Authorization: Bearer $x" https://example.com`,
  `export T=${S}; i=0; while [ $i -lt 3 ]; do curl "$T" && break; i=$((i + 1)); done`,
  `T=${S} npm publish && echo $?`,
  `x=${S}; if [[ -n $x ]]; then curl "$x"; fi`,
])('a secret in a variable may be used as a text: %j', (command) => {
  expect(placed(command)).not.toMatch(/^no: /);
});
