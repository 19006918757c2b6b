// SPDX-License-Identifier: Apache-2.0
import { compileText, rulesOf, SCRIPT_LIMITS, type Operation, type Sandbox } from '@writ/mk8-shell';
import { measure, type Load, type Metric } from '../measure.ts';

const SANDBOX: Sandbox = {
  id: 'bench',
  root: '/workspace',
  cwd: '',
  user: 'bench',
  env: new Map([['REGION', 'eu']]),
  rules: rulesOf(),
  fragments: new Map(),
  skills: [],
};
const CAPTURING = SCRIPT_LIMITS.captures;

/** Operations of many kinds, no two equal: paths, contents, captures, expressions, URLs and commands. */
const KINDS: readonly ((n: number) => Operation)[] = [
  (n) => ({
    verb: 'FileWrite',
    args: [
      `$WORKSPACE/src/module-${n}/readme.md`,
      `# Module ${n}\n\n${`It does thing ${n} with $C${n % CAPTURING}. `.repeat(8)}\n`,
    ],
  }),
  (n) => ({
    verb: 'ProcRun',
    args: ['git', 'commit', '-m', `fix: thing ${n} of module ${n + 1}`],
    maxRetries: 2,
    stepTimeout: '00:01:00',
  }),
  (n) => ({ verb: 'FileSearchRegex', args: [`src/module-${n}/main.txt`, `(?i)todo\\s*\\(${n}\\)`] }),
  (n) => ({ verb: 'HttpGet', args: [`https://example.com/items/${n}?region=$REGION`] }),
  (n) => ({ verb: 'JsonSet', args: [`{"n":${n}}`, 'key', `$C${(n + 1) % CAPTURING}`] }),
  (n) => ({
    verb: 'If',
    if: {
      predicate: { kind: 'FileExists', args: [`src/module-${n}/x.txt`] },
      then: { verb: 'FileDelete', args: [`src/module-${n}/x.txt`] },
    },
  }),
  (n) => ({
    verb: 'FilePatch',
    args: [`src/module-${n}/readme.md`],
    patches: [{ find: `thing ${n}`, replace: `thing ${n + 1}` }],
  }),
];

/** The largest script: 1,024 operations with 16 captures, labels and jumps to them. */
function largest(): string {
  const captures: Operation[] = Array.from({ length: CAPTURING }, (_, n) => ({
    verb: 'TextToUpper',
    args: [`value ${n}`],
    captureAs: `C${n}`,
  }));
  const others = Array.from({ length: SCRIPT_LIMITS.operations - CAPTURING }, (_, n): Operation => ({
    ...(KINDS[n % KINDS.length]?.(n) ?? { verb: 'SysDate' }),
    label: `l${n}`,
    ...(n + 1 < SCRIPT_LIMITS.operations - CAPTURING ? { onFailure: `goto:l${n + 1}` } : {}),
  }));
  return JSON.stringify({ operations: [...captures, ...others], options: { failureMode: 'ContinueOnError' } });
}

/** Compiles the largest script, from its text to an executable program. */
export function mk8Compile(load: Load): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  const text = largest();
  return measure(load, () => {
    const { program, problems } = compileText(text, SANDBOX);
    if (program?.steps.length !== SCRIPT_LIMITS.operations)
      throw new Error(
        `it didn't compile: ${problems
          .slice(0, 3)
          .map(({ pointer, message }) => `${pointer}: ${message}`)
          .join('; ')}`,
      );
    return Promise.resolve();
  });
}
