// SPDX-License-Identifier: Apache-2.0

/**
 * Shells, interpreters and editors, which come under the name of a version or a variant too: `python3.11`, `bash-5.2`,
 * `vim.tiny`, `node.exe`.
 */
const FAMILIES = [
  'python', 'pypy', 'ipython', 'ruby', 'jruby', 'irb', 'pry', 'nodejs', 'node', 'deno', 'bun', 'tsx', 'ts-node',
  'perl', 'raku', 'php', 'luajit', 'lua', 'tclsh', 'wish', 'expect', 'pwsh', 'powershell', 'julia', 'Rscript', 'R',
  'elixir', 'erl', 'groovy', 'scala', 'racket', 'guile', 'sbcl', 'ghc', 'octave', 'gnuplot', 'm4',
  'bash', 'zsh', 'ksh', 'mksh', 'dash', 'ash', 'fish', 'tcsh', 'csh', 'rbash', 'sh', 'busybox', 'toybox', 'elvish',
  'gawk', 'mawk', 'nawk', 'awk', 'gsed', 'sed', 'vim', 'nvim', 'vi', 'ex', 'ed', 'emacs', 'emacsclient', 'make',
  'gmake', 'gdb', 'pip', 'psql', 'sqlite',
];
/** Also a name of its own: what stands behind the family's name is no version. */
const VARIANT = new RegExp(String.raw`^(?:(${FAMILIES.join('|')})(?:[-._]?v?\d[\w.+-]*|[._-](?:exe|static|basic|tiny|nox|gtk|huge|athena|preview|bin|real|orig|dbg|distrib|appimage))|original-(awk)|bwk-(awk))$`);

/** The name by which a program is known, whatever version or variant of it is called. */
export function canonicalName(name: string): string {
  const found = VARIANT.exec(name);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? name;
}
