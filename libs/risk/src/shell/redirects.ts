// SPDX-License-Identifier: Apache-2.0
import { noteRead } from '../programs/secrets.ts';
import { isSecretFile } from '../programs/secret-names.ts';
import { noteEmptied, noteEndless, noteMade, noteWrite } from '../programs/write.ts';
import { isExact, type Field, type Source } from './field.ts';
import { ANYTHING, deviceSource, KEPT_SECRET, NOTHING, passedOn, textSource } from './source.ts';
import type { StatementShell } from './statement-shell.ts';
import { descendants, fieldOf, namedChildren, type SyntaxNode } from './syntax.ts';
import { joinOutputs } from './join-outputs.ts';

/** Statements to which a redirection can't belong as a whole: it belongs to their last command. */
const OPEN_ENDED = new Set(['pipeline', 'list', 'negated_command', 'redirected_statement']);

/** Interprets a statement with its redirections, and the commands after a here-document's delimiter. */
export function withRedirects(node: SyntaxNode, stdin: Source, shell: StatementShell): Source {
  const redirects = namedChildren(node).filter(({ type }) => type.endsWith('_redirect'));
  const body = fieldOf(node, 'body');
  if (body) noteReadsItself(body, redirects, shell);
  if (body && OPEN_ENDED.has(body.type)) return shell.run(pushedDown(body, redirects), stdin);
  let input = stdin;
  for (const redirect of redirects) input = inputOf(redirect, shell) ?? input;
  // A number adjacent to the next redirection is its descriptor, as in `>& file 0>&1`.
  const starts = new Set(redirects.map(({ start }) => start));
  const strays = redirects.flatMap(strayWords).filter(({ type, end }) => type !== 'number' || !starts.has(end));
  let output = body ? shell.run(withWords(body, strays, shell), input) : NOTHING;
  for (const redirect of redirects) output = redirected(redirect, input, output, shell);
  return output;
}

/** The grammar attaches a redirection to a whole pipeline or list, where bash gives it to the last command. */
function pushedDown(body: SyntaxNode, redirects: readonly SyntaxNode[]): SyntaxNode {
  const last = namedChildren(body).at(-1);
  if (body.type === 'redirected_statement' || !last) return { ...body, children: [...body.children, ...redirects] };
  const children = body.children.map((child) =>
    child === last
      ? { ...child, type: 'redirected_statement', field: null, children: [{ ...last, field: 'body' }, ...redirects] }
      : child,
  );
  return { ...body, children };
}

/** Words after a redirection are arguments of the command; the grammar parses them as more destinations. */
function strayWords(redirect: SyntaxNode): readonly SyntaxNode[] {
  if (redirect.type === 'heredoc_redirect') {
    return [
      ...redirect.children.filter(({ field }) => field === 'argument'),
      ...redirect.children.flatMap((child) => (child.type === 'file_redirect' ? strayWords(child) : [])),
    ];
  }
  return redirect.children.filter(({ field }) => field === 'destination').slice(1);
}

function withWords(body: SyntaxNode, words: readonly SyntaxNode[], shell: StatementShell): SyntaxNode {
  if (words.length === 0) return body;
  if (body.type !== 'command') shell.act('unparsed', 'the command', body.text);
  return { ...body, children: [...body.children, ...words.map((word) => ({ ...word, field: 'argument' }))] };
}

/** The shell truncates the file before the command reads it: `sort f > f` leaves nothing. */
function noteReadsItself(body: SyntaxNode, redirects: readonly SyntaxNode[], shell: StatementShell): void {
  if (body.type !== 'command' && body.type !== 'pipeline') return;
  const emptied = redirects
    .filter((redirect) => /^>\|?$/.test(operatorOf(redirect)) && isOutput(redirect))
    .flatMap(({ children }) => children.find(({ field }) => field === 'destination') ?? []);
  if (emptied.length === 0) return;
  const read = filesRead(body, shell);
  for (const to of emptied) if (read.has(to.text)) for (const path of shell.words(to)) noteEmptied('>', path, shell);
}

/** The arguments of all programs in the statement that read the files in their arguments. */
function filesRead(body: SyntaxNode, shell: StatementShell): ReadonlySet<string> {
  const files = new Set<string>();
  for (const { type, children } of descendants(body, () => true)) {
    shell.meter.steps();
    const name = children.find(({ field }) => field === 'name')?.text ?? '';
    if (type !== 'command' || !READS_ITS_FILES.has(name)) continue;
    const words = children.filter(({ field }) => field === 'argument').map(({ text }) => text);
    const program =
      TAKES_PROGRAM.has(name) && !words.some((word) => NAMES_PROGRAM.test(word))
        ? words.findIndex((word) => !word.startsWith('-'))
        : -1;
    words.forEach((word, index) => {
      if (index !== program) files.add(word);
    });
  }
  return files;
}
/** Programs whose first argument is a pattern or a program, where no option gives one. */
const TAKES_PROGRAM = new Set([
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'sed',
  'gsed',
  'awk',
  'gawk',
  'mawk',
  'perl',
  'jq',
  'yq',
  'xq',
  'm4',
]);
const NAMES_PROGRAM = /^-[a-zA-Z]*[ef]|^--(?:expression|regexp|file|from-file)/;
/** Programs that read the files in their arguments; for others a name may be only a name. */
const READS_ITS_FILES = new Set([
  'cat',
  'tac',
  'bat',
  'sort',
  'uniq',
  'sed',
  'gsed',
  'awk',
  'gawk',
  'mawk',
  'perl',
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'jq',
  'yq',
  'xq',
  'cut',
  'head',
  'tail',
  'rev',
  'nl',
  'column',
  'fmt',
  'fold',
  'expand',
  'unexpand',
  'iconv',
  'paste',
  'join',
  'comm',
  'shuf',
  'tsort',
  'xmllint',
  'tidy',
  'prettier',
  'clang-format',
  'black',
  'gofmt',
  'rustfmt',
  'shfmt',
  'terser',
  'uglifyjs',
  'csvcut',
  'csvsort',
  'mlr',
  'openssl',
  'gpg',
  'base64',
  'xxd',
  'dos2unix',
  'unix2dos',
  'pandoc',
  'strings',
  'diff',
  'envsubst',
  'm4',
  'cpp',
  'gzip',
  'gunzip',
  'zcat',
  'xz',
  'zstd',
]);

/** The input from the redirection; undefined if it sets none. */
function inputOf(redirect: SyntaxNode, shell: StatementShell): Source | undefined {
  const parts = namedChildren(redirect);
  if (redirect.type === 'herestring_redirect') {
    const last = parts.at(-1);
    return last && textSource(`${shell.text(last)}\n`);
  }
  if (redirect.type === 'heredoc_redirect') return hereDocument(redirect, shell);
  const operator = operatorOf(redirect);
  if (operator !== '<') return undefined;
  const [from] = destinationOf(redirect, shell);
  if (!from) return ANYTHING;
  const path = shell.path(from);
  noteRead('<', [from], shell);
  return (
    from.source ??
    deviceSource(from.text) ??
    (path === undefined ? undefined : shell.scope.files.get(path)) ??
    (isSecretFile(from.text) ? KEPT_SECRET : ANYTHING)
  );
}

function hereDocument(redirect: SyntaxNode, shell: StatementShell): Source {
  const body = redirect.children.find(({ type }) => type === 'heredoc_body');
  const delimiter = redirect.children.find(({ type }) => type === 'heredoc_start')?.text ?? '';
  if (!body) return textSource('');
  const literal = /['"\\]/.test(delimiter);
  const text = literal ? body.text : shell.body(body);
  return textSource(redirect.children.some(({ type }) => type === '<<-') ? text.replace(/^\t+/gm, '') : text);
}

/** Notes the target of the output, and interprets the commands after a here-document's delimiter on its line. */
function redirected(redirect: SyntaxNode, input: Source, output: Source, shell: StatementShell): Source {
  if (redirect.type === 'file_redirect') return toFile(redirect, output, shell);
  if (redirect.type !== 'heredoc_redirect') return output;
  let latest = output;
  for (const child of namedChildren(redirect)) {
    if (child.type === 'file_redirect') latest = toFile(child, latest, shell);
    else if (child.type === 'pipeline') latest = shell.inScope(shell.scope.clone(), () => shell.run(child, output));
    else if (child.field === 'right') latest = joinOutputs([latest, shell.run(child, input)]);
  }
  return latest;
}

function toFile(redirect: SyntaxNode, output: Source, shell: StatementShell): Source {
  const operator = operatorOf(redirect);
  if (operator.startsWith('<') || operator.endsWith('-')) return output;
  const [to] = destinationOf(redirect, shell);
  if (!to) return output;
  // `2>&1` names a descriptor, not a file.
  if (operator === '>&' && /^\d+-?$/.test(to.text)) return output;
  noteWrite(operator.includes('>>') ? 'append' : 'overwrite', operator, to, shell);
  noteConnection(to.text, output, shell);
  noteEndless(operator, to, output, shell);
  if (!operator.includes('>>') && isNothing(redirect, output)) noteEmptied(operator, to, shell);
  // A descriptor in a variable leads to an unknown reader.
  if (operator === '>&' && !isExact(to.text) && output.kind === 'text') shell.act('run_unknown', operator, output.text);
  if (!operator.includes('>>')) noteMade(to, output, shell);
  else addTo(to, output, shell);
  return isOutput(redirect) ? NOTHING : output;
}

/**
 * Programs without output may still write errors: for another descriptor than the output, only output known to be empty
 * counts.
 */
function isNothing(redirect: SyntaxNode, output: Source): boolean {
  return (output.kind === 'nothing' && isOutput(redirect)) || (output.kind === 'text' && output.text.trim() === '');
}

/** Answers whether the output goes there, and not only errors on another descriptor. */
const isOutput = (redirect: SyntaxNode): boolean =>
  !redirect.children.some(({ type, text }) => type === 'file_descriptor' && text !== '1');

function addTo(to: Field, output: Source, shell: StatementShell): void {
  const path = shell.path(to);
  if (path === undefined) return;
  shell.scope.files.set(path, passedOn(output, true));
  // A file that is truncated to be filled line by line is written like any other.
  if (output.kind !== 'nothing' && (output.kind !== 'text' || output.text.trim() !== ''))
    shell.scope.emptied.delete(path);
}

/** bash itself connects to `/dev/tcp/host/port`. */
function noteConnection(to: string, output: Source, shell: StatementShell): void {
  if (!/^\/dev\/(?:tcp|udp)\//.test(to)) return;
  shell.act('network', 'the shell', to);
  if (output.kind === 'secret') shell.act('secret_egress', 'the shell', to);
}

const operatorOf = (redirect: SyntaxNode): string => redirect.children.find(({ named }) => !named)?.type ?? '';
const destinationOf = (redirect: SyntaxNode, shell: StatementShell) =>
  redirect.children
    .filter(({ field }) => field === 'destination')
    .slice(0, 1)
    .flatMap((node) => shell.words(node));
