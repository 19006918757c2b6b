// SPDX-License-Identifier: Apache-2.0
// The part of the contract suite about jobs whose standard input and output are a connection.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeProgram } from './fake-program.ts';
import type { Sandbox, SandboxJob, SandboxResult } from './sandbox.ts';

const bash = (script: string): readonly string[] => ['/bin/bash', '-c', script];
/** Programs of the suite. */
const ARGV = {
  echo: ['cat'],
  answerThenEnd: bash('read -r line; echo "heard $line"; echo "last words" >&2; exit 3'),
  flood: bash('echo begun; exec tr "\\0" x < /dev/zero'),
  leaveChild: bash('sleep 1000 & read -r line; echo "heard $line"'),
  speakOut: bash(
    'read -r line; exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}"; echo "$line" >&3; read -r answer <&3; echo "got $answer"; read -r line',
  ),
} as const;

const lineOf = async (stdio: Duplex): Promise<string> => {
  let text = '';
  while (!text.endsWith('\n')) text += String(((await once(stdio, 'data')) as [Buffer])[0]);
  return text.trimEnd();
};

const FAKES: Record<keyof typeof ARGV, FakeProgram> = {
  echo: async ({ stdio }) => {
    for await (const bytes of stdio!) stdio!.write(bytes);
    stdio!.end();
    return 0;
  },
  answerThenEnd: async ({ stdio, err }) => {
    stdio!.end(`heard ${await lineOf(stdio!)}\n`);
    err('last words\n');
    return 3;
  },
  flood: async ({ stdio }) => {
    stdio!.write('begun\n');
    while (!stdio!.destroyed) if (!stdio!.write('x'.repeat(65_536))) await once(stdio!, 'drain').catch(() => undefined);
    return 'never' as const;
  },
  leaveChild: async ({ stdio }) => {
    stdio!.end(`heard ${await lineOf(stdio!)}\n`);
    return 0;
  },
  speakOut: async ({ stdio, connect }) => {
    const line = await lineOf(stdio!);
    const connection = connect()!;
    connection.write(`${line}\n`);
    stdio!.write(`got ${await lineOf(connection)}\n`);
    await once(stdio!, 'end').catch(() => undefined);
    return 0;
  },
};

/** The fake's programs for the programs above. */
export const CONNECTED_PROGRAMS: Readonly<Record<string, FakeProgram>> = Object.fromEntries(
  Object.entries(FAKES).map(([name, program]) => [ARGV[name as keyof typeof ARGV].join(' '), program]),
);

/** A job's connection, and its result to come. */
interface Started {
  readonly stdio: Duplex;
  readonly result: Promise<SandboxResult>;
}

/** The tests, for the sandbox of the suite. */
export function connectedJobs(
  under: () => { readonly sandbox: Sandbox },
  jobOf: (command: string) => SandboxJob,
  textOf: (result: SandboxResult) => string,
): void {
  describe('a job with a connection as its input and output', () => {
    async function start(
      program: keyof typeof ARGV,
      given: { readonly egress?: SandboxJob['egress']; readonly signal?: AbortSignal } = {},
    ): Promise<Started> {
      const { promise, resolve } = Promise.withResolvers<Duplex>();
      const job = {
        ...jobOf(''),
        argv: ARGV[program],
        stdio: { serve: resolve },
        ...(given.egress === undefined ? {} : { egress: given.egress }),
      };
      const result = under().sandbox.run(job, given.signal ?? new AbortController().signal);
      const stdio = await promise;
      stdio.on('error', () => undefined);
      return { stdio, result };
    }

    test('answers while it runs, and ends with its input', async () => {
      const { stdio, result } = await start('echo');
      for (const line of ['one', 'two']) {
        stdio.write(`${line}\n`);
        expect(await lineOf(stdio)).toBe(line);
      }
      stdio.end();
      expect(await result).toMatchObject({ ended: 'exited', exitCode: 0, output: [], changes: [] });
      expect(stdio.destroyed).toBe(true);
    });

    test('passes on what it wrote last, and its last words, as soon as it has ended', async () => {
      const { stdio, result } = await start('answerThenEnd');
      stdio.write('this\n');
      expect(await lineOf(stdio)).toBe('heard this');
      if (!stdio.readableEnded) await once(stdio, 'end');
      // Whoever reads its words waits no longer than that for them.
      const ended = await Promise.race([result, sleep(1_000, null)]);
      if (ended === null) throw new Error('it had ended a second ago');
      expect(ended).toMatchObject({ ended: 'exited', exitCode: 3 });
      expect(textOf(ended)).toBe('last words\n');
    });

    test('waits while nobody reads, and ends when it is stopped', async () => {
      const stop = new AbortController();
      const { stdio, result } = await start('flood', { signal: stop.signal });
      const [first] = (await once(stdio, 'data')) as [Buffer];
      stdio.pause();
      expect(first.toString()).toMatch(/^begun/);
      stop.abort();
      expect(await result).toMatchObject({ ended: 'killed', reason: 'aborted' });
      expect(stdio.destroyed).toBe(true);
    });

    test('ends with all that it has started', async () => {
      const { stdio, result } = await start('leaveChild');
      stdio.write('this\n');
      expect(await lineOf(stdio)).toBe('heard this');
      expect(await result).toMatchObject({ ended: 'exited', exitCode: 0 });
    });

    test('has a way out beside it, if it is given one', async () => {
      const egress = {
        serve: (connection: Duplex): void =>
          void lineOf(connection).then((line) => connection.write(`an answer to ${line}\n`)),
      };
      const { stdio, result } = await start('speakOut', { egress });
      stdio.write('this\n');
      expect(await lineOf(stdio)).toBe('got an answer to this');
      stdio.end();
      expect(await result).toMatchObject({ ended: 'exited' });
    });
  });
}
