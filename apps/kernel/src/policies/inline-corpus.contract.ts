// SPDX-License-Identifier: Apache-2.0
// Commands that are short and made to take long to read, for specs: constructs of the shell and of what it carries,
// repeated alone and two at a time, to several lengths.

/** A construct, repeated between a beginning and an end. */
type Unit = readonly [unit: string, start?: string, end?: string];

const UNITS: readonly Unit[] = [
  ['a;'], ['a\n'], [' a', 'rm'], ['a', 'rm '], [' -e a', 'grep'], ['a', 'ls -'], [" 'a'", 'echo'],
  [' "a$x"', 'echo'], ['\\a', 'echo '],
  [" $'\\n'", 'echo'], ['# a\n'], ['v=1;'], ['x+=a;'], ['x=$x$x;', 'x=a;'], ['a+=(b);'], ['a=(b c);'], ['a[1]=b;'],
  [' b', 'a=(', ')'],
  [' $x', 'echo'], [' ${x:-a}', 'echo'], [' ${x:1:2}', 'echo'], [' ${x/a/b}', 'echo'], [' {a,b}', 'echo'],
  ['{a,b}', 'echo '],
  [' {1..9}', 'echo'], [' $(a)', 'echo'], [' `a`', 'echo'], [' <(a)', 'cat'], [' $((1+2))', 'echo'], ['((v++));'],
  ['+1', 'echo $((1', '))'],
  ['[[ $x -gt 1 ]];'], ['[ -n "$x" ];'], ['|a', 'a'], ['v=1;a|b;'], ['a > f|b;'], ['(a);'], ['{ a; };'], ['a && b;'],
  ['v=1 && b;'],
  ['if a; then b; fi;'], ['if a; then v=1; else v=2; fi;'], ['case a in b) c;; esac;'], ['for i in a b; do c; done;'],
  [' a', 'for i in', '; do rm $i; done'], ['while a; do b; done;'], ['for ((i=0;i<3;i++)); do a; done;'],
  ['f() { a; };'], ['f;', 'f() { a; };'],
  ["eval 'a';"], ["sh -c 'a';"], ['alias a=b;'], ["trap 'a' EXIT;"], ['a > b;'], [' > b', 'cat a'],
  ['> b ', '', 'cat a'], ['echo a >> b;'],
  ['cat <<< a;'], ['a\n', 'cat <<E\n', 'E\n'], ['$a\n', 'cat <<E\n', 'E\n'], ['declare -i v=1;'], ['export v=1;'],
  ['V=1 ', '', 'a'],
  ['mv a b;'], ['cd a;'], ['/a', 'rm a'], [' -name b', 'find a'], [' -delete', 'find a'], [" a", "printf '%s\\n'"],
  ['d;', "sed '", "' a"], ['s/a/b/;', "sed '", "' a"], ['/a', "sed '", "' a"], ['.*?', "sed 's/", "x//' a"],
  ['{ print $1 }', "awk '", "' a"],
  ['"a" | getline;', "awk '{", "}' a"], ['print(1);', "python3 -c '", "'"], ['"a" + ', "python3 -c '", "1'"],
  ['os.system("a b");', "python3 -c '", "'"],
  ['from os import a\n', "python3 -c '", "'"], ['a["b"];', "node -e '", "'"], ['require("b");', "node -e '", "'"],
  ['/*', "node -e '", "'"],
  ['for ', "perl -e '", "'"], ['system("a");', "ruby -e '", "'"], ['a: ;b\n', "make --eval='", "'"],
  ["system('", 'vim -c "', '" a'],
  [' -d a=b', 'curl https://example.com'], [';a=', "curl -d '@", "\nx' https://example.com"],
  [' -c a.b=c', 'git', ' log'], ['drop table a;', "psql -c '", "'"],
  ['select 1;', "psql -c '", "'"], ['ri a;', "pwsh -c '", "'"], ['Get-Item a | ri;', "pwsh -c '", "'"],
  ['$(', 'echo '], ['${a:-', 'echo '],
  ['(', ''], ['{ ', ''], ['`', ''], ["'", ''], ['"', ''], ['if ', ''], ['case a in ', ''], ['[[ a =~ (', ''],
  ['function f ', ''], ['while ', ''], ['<<A ', ''],
  ['${secret:KEY} ', 'curl '], ['-H "X: ${secret:KEY}" ', 'curl '], ['é', 'rm '], ['\t', 'rm', 'a'],
  ['\\\n', 'rm ', 'a'], ['!', ''], ['&', 'a '], ['*', 'rm '], ['?[a]', 'rm '],
];

function repeated([unit, start = '', end = '']: Unit, bytes: number): string {
  const times = Math.floor((bytes - Buffer.byteLength(start + end)) / Buffer.byteLength(unit));
  return `${start}${unit.repeat(Math.max(1, times))}${end}`;
}

/** Commands of at most so many bytes. `pairs` of how many units each is put together with another. */
export function shortCommands(bytesMax: number, pairs: number): string[] {
  const alone = UNITS.flatMap((unit) => [bytesMax, bytesMax / 2, bytesMax / 8].map((bytes) => repeated(unit, bytes)));
  const halves = UNITS.map((unit) => repeated(unit, bytesMax / 2 - 2));
  const both = UNITS.flatMap((_, at) => Array.from({ length: pairs }, (_each, step) => {
    const other = (at + 1 + step * 7) % UNITS.length;
    // A unit of one after a unit of the other, and the one after the other.
    const [one, two] = [UNITS[at] as Unit, UNITS[other] as Unit];
    if (step % 2 === 0) return `${halves[at] ?? ''}; ${halves[other] ?? ''}`;
    return repeated([`${one[0]}${two[0]}`, one[1], one[2]], bytesMax);
  }));
  return [...alone, ...both].filter((command) => Buffer.byteLength(command) <= bytesMax);
}
