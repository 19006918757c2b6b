// SPDX-License-Identifier: Apache-2.0
//
// Properties of the compiler that must hold for every input.
import {
  compileScript,
  compileText,
  rulesOf,
  SCRIPT_LIMITS,
  type LocatedProblem,
  type Operation,
  type Program,
  type Sandbox,
} from '@writ/mk8-shell';

/** Not the default sandbox: one with an environment, fragments that include each other, and URLs. */
export const SANDBOX: Sandbox = {
  id: 'fuzz',
  root: '/workspace',
  cwd: 'src',
  user: 'agent',
  env: new Map([
    ['GREETING', 'hi'],
    ['DEPLOY_TOKEN', 'never'],
    ['UP', '../up'],
  ]),
  rules: rulesOf({ urls: ['https://git.example.com/a/b.git'] }),
  fragments: new Map<string, readonly Operation[]>([
    ['greet', [{ verb: 'Echo', args: ['hello $ITEM'] }]],
    ['loop', [{ verb: 'Include', args: ['loop'] }]],
    ['bad', [{ verb: 'FileRead', args: ['/etc/passwd'] }]],
  ]),
  skills: [{ name: 'release', summary: 'how to release' }],
};

/** The maximum length of one message: a model gets it, once for each of many problems. */
const MESSAGE_CHARS_MAX = 10_000;

/** A violated property, with its input. */
export class BrokenClaim extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokenClaim';
  }
}

function claim(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenClaim(what);
}

/**
 * Compiles a text and checks the result.
 * @returns the kind of the answer: inputs with the same kind add nothing new
 * @throws BrokenClaim for a violation; an error of the compiler, which must throw nothing
 */
export function check(text: string): readonly string[] {
  const { program, problems } = compileText(text, SANDBOX);
  claim((program === null) === problems.length > 0, 'either a program or problems come of a text');
  claim(problems.length <= SCRIPT_LIMITS.problems, 'the number of problems is bounded');
  const lines = text.split('\n');
  for (const problem of problems) checkProblem(problem, lines);
  if (program !== null) checkProgram(program);
  checkTwin(text, program, problems);
  return program === null ? problems.map(({ message }) => `says ${kindOf(message)}`) : kindsOf(program);
}

function checkProblem({ pointer, message, line, column }: LocatedProblem, lines: readonly string[]): void {
  claim(pointer === '' || /^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer), `\`${pointer}\` is a JSON pointer`);
  claim(line >= 1 && line <= lines.length, 'a problem has a line of the text');
  claim(column >= 1 && column <= (lines[line - 1] ?? '').length + 1, 'a problem has a column of its line');
  claim(
    message.length > 0 && message.length <= MESSAGE_CHARS_MAX,
    `a message is bounded, and has ${message.length} characters`,
  );
}

function checkProgram({ steps, cleanup, effects }: Program): void {
  claim(steps.length + cleanup.length <= SCRIPT_LIMITS.operations, 'the number of steps is bounded');
  for (const path of [...effects.reads, ...effects.writes, ...effects.deletes]) {
    claim(
      !path.startsWith('/') && !path.split('/').some((part) => part === '..' || part === '.') && !path.includes('\0'),
      `\`${path}\` lies within the workspace`,
    );
  }
  for (const path of [...effects.writes, ...effects.deletes])
    claim(!path.split('/').some((part) => part.toLowerCase() === '.git'), `\`${path}\` is nothing of git's own`);
  for (const [n, { goto }] of steps.entries())
    claim(goto === null || (goto > n && goto < steps.length), 'a goto leads forward, to a step');
  if (effects.category === 'read')
    claim(
      effects.writes.length === 0 && effects.deletes.length === 0 && !effects.network,
      'what changes or connects is no reading',
    );
}

/** The same script as a value compiles like its text, and the same way twice. */
function checkTwin(text: string, program: Program | null, problems: readonly LocatedProblem[]): void {
  const value = valueOf(text);
  if (value === undefined) return claim(program === null, 'what is no JSON is no script');
  const twin = compileScript(value.value, SANDBOX);
  if (program !== null) {
    claim(twin.program !== null, 'a value compiles as its text does');
    return claim(summary(twin.program) === summary(program), 'a value comes to the program of its text');
  }
  // A text has errors that a value can't have: duplicate keys, and too many levels.
  if (twin.program !== null)
    claim(
      problems.every(({ message }) => /given twice|nested more than|no JSON here|bytes/.test(message)),
      'a text compiles as its value does',
    );
}

const summary = ({ steps, cleanup, effects, options }: Program): string =>
  JSON.stringify({
    steps: [...steps, ...cleanup].map(({ verb, pointer, args, goto, captureAs, attempts, timeoutMs }) => [
      verb.name,
      pointer,
      args,
      goto,
      captureAs,
      attempts,
      timeoutMs,
    ]),
    effects,
    options,
  });

function valueOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** A message without its quoted parts. */
const kindOf = (message: string): string =>
  message
    .replaceAll(/`[^`]*`/g, '``')
    .replaceAll(/\d+/g, '0')
    .slice(0, 120);

const kindsOf = ({ steps, effects }: Program): string[] => [
  ...steps.map(
    ({ verb, args }) =>
      `${verb.name} of ${args.length}${args.some((text) => text.some((part) => !('text' in part))) ? ', filled in' : ''}`,
  ),
  ...effects.templates.map((template) => `fits ${template}`),
  ...(effects.open.length > 0 ? ['open'] : []),
  effects.category,
];
