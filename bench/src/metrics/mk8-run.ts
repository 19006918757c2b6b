// SPDX-License-Identifier: Apache-2.0
//
// A thousand steps on texts, as a script of mk8.shell in a running container, and as a script of bash in a new one.
import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { DEFAULT_SANDBOX, type Operation, type RanReport, type ScriptOrder } from '@writ/mk8-shell';
import { testAddress } from '@writ/testing';
import { measure, summarise, type Load, type Metric } from '../measure.ts';
import { LIMITS } from './references.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;
const run = promisify(execFile);

const STEPS = 1_000;
/** The command that starts the interpreter, as the executor starts it. */
const INTERPRETER = '/opt/writ/node --snapshot-blob /opt/writ/mk8.blob /opt/writ/mk8.js';

/** The same step in both languages. Bash starts no program where it has a builtin. */
const KINDS: readonly ((n: number) => { readonly operation: Operation; readonly bash: string })[] = [
  (n) => ({
    operation: { verb: 'TextToUpper', args: [`line ${n} of a text`] },
    bash: `v='line ${n} of a text'; echo "\${v^^}"`,
  }),
  (n) => ({
    operation: { verb: 'TextReplace', args: [`name-${n}.txt`, '-', '_'] },
    bash: `v='name-${n}.txt'; echo "\${v//-/_}"`,
  }),
  (n) => ({
    operation: { verb: 'TextSubstring', args: [`abcdefghij${n}`, '2', '4'] },
    bash: `v='abcdefghij${n}'; echo "\${v:2:4}"`,
  }),
  (n) => ({
    operation: { verb: 'TextHash', args: [`value ${n}`] },
    bash: `printf '%s' 'value ${n}' | sha256sum | cut -c 1-64`,
  }),
  (n) => ({
    operation: { verb: 'TextRegex', args: [`id=${n};x`, 'id=[0-9]+'] },
    bash: `grep -oE 'id=[0-9]+' <<< 'id=${n};x'`,
  }),
  (n) => ({ operation: { verb: 'TextSort', args: [`c\nb\na ${n}`] }, bash: `sort <<< $'c\\nb\\na ${n}'` }),
  (n) => ({ operation: { verb: 'TextTrim', args: [`  ${n}  `] }, bash: `read -r v <<< '  ${n}  '; echo "$v"` }),
  (n) => ({ operation: { verb: 'TextBase64Encode', args: [`value ${n}`] }, bash: `printf '%s' 'value ${n}' | base64` }),
  (n) => ({
    operation: { verb: 'TextWordCount', args: [`one two three ${n}`] },
    bash: `wc -w <<< 'one two three ${n}'`,
  }),
  (n) => ({ operation: { verb: 'TextPadLeft', args: [`${n}`, '8', '0'] }, bash: `printf '%08d\\n' ${n}` }),
];
const steps = Array.from(
  { length: STEPS },
  (_, n) => KINDS[n % KINDS.length]?.(n) ?? { operation: { verb: 'SysDate' }, bash: 'date' },
);

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, DOCKER_HOST: testAddress('DOCKER_HOST') });

/** Runs the client program with a text on its standard input. @throws Error for a status other than 0 */
async function docker(args: readonly string[], stdin: string): Promise<string> {
  const child = spawn('docker', args, { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.end(stdin);
  const [said, status] = await Promise.all([text(child.stdout), ended]);
  if (status !== 0) throw new Error(`\`docker ${args[0] ?? ''}\` ended with ${status}: ${said.slice(0, 500)}`);
  return said;
}

/** The output of each step, lines joined: bash prints it on one stream. */
function verifyReport(said: string): string[] {
  const report = JSON.parse(said) as RanReport;
  if (report.status !== 'completed' || !report.all_succeeded || report.steps.length !== STEPS)
    throw new Error(`the script ended as ${report.status} with ${report.steps.length} steps`);
  return report.steps.flatMap(({ output }) => output.trimEnd().split('\n'));
}

/** A running container, with the limits of a call's container. */
async function withContainer<Answer>(use: (id: string) => Promise<Answer>): Promise<Answer> {
  const { stdout } = await run(
    'docker',
    [
      'run',
      '--detach',
      '--rm',
      '--network',
      'none',
      ...LIMITS,
      '--label',
      `writ=${testAddress('WRIT_TEST_LABEL')}`,
      '--entrypoint',
      '/bin/sleep',
      testAddress('WRIT_TEST_SANDBOX_IMAGE'),
      '3600',
    ],
    { env: environment() },
  );
  const id = stdout.trim();
  try {
    return await use(id);
  } finally {
    await run('docker', ['rm', '--force', id], { env: environment() });
  }
}

/**
 * From the start of the interpreter to its end, in a container that runs already. It also prints the processor time,
 * which doesn't depend on the machine's load.
 */
export function mk8Run({ samples, warmUp }: Load): Promise<Measured> {
  const order: ScriptOrder = {
    script: { operations: steps.map(({ operation }) => operation) },
    sandbox: DEFAULT_SANDBOX,
    time_ms: 60_000,
    report_bytes: 190_000,
  };
  return withContainer(async (id) => {
    await docker(['exec', '--interactive', id, 'bash', '-c', 'cat > /tmp/order.json'], JSON.stringify(order));
    verifyReport(await docker(['exec', id, 'bash', '-c', `${INTERPRETER} < /tmp/order.json`], ''));
    const timed = `TIMEFORMAT='%3R %3U %3S'; for i in {1..${warmUp + samples}}; do { time ${INTERPRETER} < /tmp/order.json > /tmp/report.json; } 2>&1; done`;
    const began = performance.now();
    const rows = (await docker(['exec', id, 'bash', '-c', timed], ''))
      .trim()
      .split('\n')
      .slice(warmUp)
      .map((line) => line.split(' ').map((seconds) => Number(seconds) * 1_000));
    const { p50, p95 } = summarise(
      rows.map(([, user = Number.NaN, system = Number.NaN]) => user + system),
      1,
    );
    console.log(`  ${p50} ms of processor time (p95 ${p95})`);
    return summarise(
      rows.map(([wall = Number.NaN]) => wall),
      performance.now() - began,
    );
  });
}

/**
 * The same steps by bash and the programs of the image, as a person would run them: `docker run IMAGE bash`. First it
 * checks that both outputs are equal.
 */
export async function bashRun(load: Load): Promise<Measured> {
  const script = `${steps.map(({ bash }) => bash).join('\n')}\n`;
  const once = (): Promise<string> =>
    docker(
      [
        'run',
        '--rm',
        '--interactive',
        '--network',
        'none',
        ...LIMITS,
        '--entrypoint',
        '/bin/bash',
        testAddress('WRIT_TEST_SANDBOX_IMAGE'),
      ],
      script,
    );
  const order: ScriptOrder = {
    script: { operations: steps.map(({ operation }) => operation) },
    sandbox: DEFAULT_SANDBOX,
    time_ms: 60_000,
    report_bytes: 190_000,
  };
  const ours = await withContainer(async (id) =>
    verifyReport(await docker(['exec', '--interactive', id, 'bash', '-c', INTERPRETER], JSON.stringify(order))),
  );
  const theirs = (await once()).trimEnd().split('\n');
  const at = theirs.findIndex((line, n) => line !== ours[n]);
  if (at >= 0 || theirs.length !== ours.length)
    throw new Error(`line ${at}: bash says \`${theirs[at]}\` where mk8.shell says \`${ours[at]}\``);
  return await measure(load, async () => {
    await once();
  });
}
