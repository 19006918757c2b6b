// SPDX-License-Identifier: Apache-2.0
// The contract of hosts, bundled and run in a real container by libs/sandbox-docker/src/interpreter.medium.spec.ts,
// without vitest. Prints as JSON which tests ran and which failed.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'expect';
import { hostContract } from '@writ/mk8-shell/contract';
import { variables } from './config.env.ts';
import { containerHost } from './container-host.ts';
import { killOthers, runningPids } from './kill-others.ts';

type Body = () => unknown;
interface Test {
  readonly name: string;
  readonly body: Body;
  readonly before: readonly Body[];
  readonly after: readonly Body[];
}

const tests: Test[] = [];
let scope: { readonly before: Body[]; readonly after: Body[] } = { before: [], after: [] };

Object.assign(globalThis, {
  expect,
  describe: (_: string, body: Body) => {
    const outer = scope;
    scope = { before: [...outer.before], after: [...outer.after] };
    body();
    scope = outer;
  },
  it: (name: string, body: Body) => {
    tests.push({ name, body, before: scope.before, after: scope.after });
  },
  beforeEach: (body: Body) => {
    scope.before.push(body);
  },
  afterEach: (body: Body) => {
    scope.after.push(body);
  },
});

const initialPids = new Set(runningPids());
const root = '/workspace/inner';

async function runAll(): Promise<void> {
  hostContract('container', () => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    return {
      host: containerHost({
        root,
        scratch: '/tmp',
        variables: { ...variables(), PLANTED: '1' },
        endAll: () => {
          killOthers(initialPids);
        },
      }),
      link: (path, target) => {
        symlinkSync(target, `${root}/${path}`);
      },
    };
  });
  describe('a container', () => {
    const { process: programs, system } = containerHost({
      root: '/workspace',
      scratch: '/tmp',
      variables: variables(),
      endAll: () => {
        killOthers(initialPids);
      },
    });
    const runProgram = (...argv: string[]) =>
      programs.run(
        { argv, cwd: '', env: {}, timeoutMs: 60_000, stdoutBytesMax: 100, stderrBytesMax: 100 },
        new AbortController().signal,
      );
    const others = async () => (await system.processes())?.filter(({ pid }) => !initialPids.has(pid));

    it('every process that a program started is killed with it, however it detached', async () => {
      // Repeated, because races and unreaped zombies show in about one run of forty.
      for (let time = 0; time < 150; time++) {
        expect(
          await runProgram(
            'bash',
            '-c',
            'setsid sleep 3599 & (setsid setsid sleep 3599 &) & nohup sleep 3599 & sleep 3599 & echo begun',
          ),
        ).toMatchObject({ exit: 0, stdout: 'begun\n' });
        expect(await others()).toEqual([]);
      }
    });

    it('a zombie is not listed as running', async () => {
      const names = async () => (await others())?.map((process) => process.name);
      // `sleep` replaces the shell and never reaps its child.
      const run = runProgram('bash', '-c', 'sleep 0.2 & echo begun; exec sleep 5');
      for (let look = 0; look < 400 && !isDeepStrictEqual(await names(), ['sleep']); look++) await setTimeout(10);
      expect(await names()).toEqual(['sleep']);
      expect(await run).toMatchObject({ exit: 0, stdout: 'begun\n' });
    });

    it('a process that forks and exits repeatedly is killed', async () => {
      for (let time = 0; time < 20; time++) {
        expect(await runProgram('bash', '-c', 'hop() { hop & }; hop 2> /dev/null; echo begun')).toMatchObject({
          exit: 0,
          stdout: 'begun\n',
        });
        expect(await others()).toEqual([]);
      }
    });

    it('a process whose first thread has ended is killed', async () => {
      const outlived =
        'import ctypes, os, threading, time\nif os.fork() == 0:\n  threading.Thread(target=time.sleep, args=(3599,)).start()\n  ctypes.CDLL(None).pthread_exit(None)\ntime.sleep(0.5)\nprint("begun")';
      expect(await runProgram('python3', '-c', outlived)).toMatchObject({ exit: 0, stdout: 'begun\n' });
      expect(await others()).toEqual([]);
    });
  });
  const failures: Record<string, string> = {};
  for (const { name, body, before, after } of tests) {
    try {
      for (const step of [...before, body, ...after]) await step();
    } catch (error) {
      failures[name] = error instanceof Error ? error.message : String(error);
    }
  }
  process.stdout.write(JSON.stringify({ ran: tests.map(({ name }) => name), failures }));
}

void runAll();
