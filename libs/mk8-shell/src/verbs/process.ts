// SPDX-License-Identifier: Apache-2.0
import { text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import type { StepContext } from '../run/step-context.ts';
import { refused, StepError } from '../run/step-error.ts';
import { matchTemplate, type Match } from '../rules/match-template.ts';
import { gitCommand, requireCleanRepository, requireUnprotectedHead } from './git.ts';
import { pathOf } from '../compile/path-text.ts';

const verb = verbsOf('process');

async function run(args: readonly string[], context: StepContext): Promise<string> {
  const { sandbox } = context;
  const found = matchTemplate(sandbox.rules, args, (place) => wordPath(args[place] ?? '', context).fault);
  if (found.match === null) throw refused(found.fault);
  const argv = await withRealPaths(args, found.match, context);
  const isGit = argv[0] === 'git' && args[1] !== '--version';
  if (isGit) {
    await requireCleanRepository(context);
    if (found.match.template.unprotected_head === true) await requireUnprotectedHead(context);
  }
  const command = isGit ? gitCommand(argv) : { argv, env: { LC_ALL: 'C.UTF-8' } };
  const {
    exit,
    stdout,
    stderr,
    cutBytes = 0,
  } = await context.process.run(
    {
      ...command,
      cwd: sandbox.cwd,
      timeoutMs: context.remainingMs(),
      stdoutBytesMax: context.stdoutBytesMax,
      stderrBytesMax: context.stderrBytesMax,
    },
    context.signal,
  );
  context.noteCut(cutBytes);
  if (exit !== 0)
    throw new StepError(`\`${args[0] ?? ''}\` ended with ${exit}${stderr === '' ? '' : `: ${stderr.trimEnd()}`}`, {
      output: stdout,
    });
  return stdout;
}

/** The path of a word. Variables are already replaced, so a text with `$WORKSPACE` begins with the root. */
const wordPath = (word: string, { sandbox }: StepContext) =>
  pathOf([{ capture: 'WORD' }], sandbox, { prev: '', captures: new Map([['WORD', word]]) });

/** Programs get paths below the root: none of them begins with `-`, and none is a link. */
async function withRealPaths(args: readonly string[], { paths }: Match, context: StepContext): Promise<string[]> {
  const argv = [...args];
  for (const { place, access } of paths) {
    const { path, fault } = wordPath(args[place] ?? '', context);
    if (path === null) throw refused(`\`${(args[place] ?? '').slice(0, 64)}\` ${fault}`);
    const real = await context.files.real(path, access);
    argv[place] = real === '' ? context.sandbox.root : `${context.sandbox.root}/${real}`;
  }
  return argv;
}

export const PROCESS_VERBS: readonly Verb[] = [
  verb(
    'ProcRun',
    'process',
    'runs a command that fits a template; never through a shell',
    [text('word')],
    ['git', 'status', '--short'],
    run,
    { most: 64 },
  ),
];
