// SPDX-License-Identifier: Apache-2.0
// The contract of hosts, bundled and run in a real container by libs/sandbox-docker/src/interpreter.medium.spec.ts: jest itself isn't there. Says as JSON which tests passed
// and which didn't.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { expect } from 'expect';
import { hostContract } from '@writ/mk8-shell/contract';
import { variables } from './config.env.ts';
import { containerHost } from './container-host.ts';
import { endOthers, processesThere } from './end-others.ts';

type Body = () => unknown;
interface Test { readonly name: string; readonly body: Body; readonly before: readonly Body[]; readonly after: readonly Body[] }

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
  it: (name: string, body: Body) => { tests.push({ name, body, before: scope.before, after: scope.after }); },
  beforeEach: (body: Body) => { scope.before.push(body); },
  afterEach: (body: Body) => { scope.after.push(body); },
});

const spared = new Set(processesThere());
const root = '/workspace/inner';

async function runAll(): Promise<void> {
  hostContract('container', () => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    return { host: containerHost({ root, scratch: '/tmp', variables: { ...variables(), PLANTED: '1' }, endAll: () => { endOthers(spared); } }), link: (path, target) => { symlinkSync(target, `${root}/${path}`); } };
  });
  describe('a container', () => {
    it('what a program started ends with it, however it got away', async () => {
      const { process: programs, system } = containerHost({ root: '/workspace', scratch: '/tmp', variables: variables(), endAll: () => { endOthers(spared); } });
      const getsAway = 'setsid sleep 3599 & (setsid setsid sleep 3599 &) & nohup sleep 3599 & sleep 3599 & echo begun';
      const run = programs.run({ argv: ['bash', '-c', getsAway], cwd: '', env: {}, timeoutMs: 60_000, stdoutBytesMax: 100, stderrBytesMax: 100 }, new AbortController().signal);
      expect(await run).toMatchObject({ exit: 0, stdout: 'begun\n' });
      expect((await system.processes())?.filter(({ name }) => name === 'sleep')).toEqual([]);
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
