// SPDX-License-Identifier: Apache-2.0
//
// The interpreter of scripts. An image has it as a startup snapshot of V8 next to its source: modules are evaluated
// when the image is built, not for each script. INVARIANT (nothing of the image's): `main` reads the facts of the
// machine, when a script runs.
import { readFileSync } from 'node:fs';
import { startupSnapshot } from 'node:v8';
import { runOrder, type ScriptOrder } from '@writ/mk8-shell';
import { variables } from './config.env.ts';
import { containerHost } from './container-host.ts';
import { killOthers, runningPids } from './kill-others.ts';
import { rehearse } from './rehearse-script.ts';

/** The path of the interpreter in the image. */
const INTERPRETER_PATH = '/opt/writ/mk8.js';
const STDIN = 0;

function main(): void {
  // After a command the interpreter kills every process that may come from it, so it must not run outside of its
  // container.
  if (process.argv[1] !== INTERPRETER_PATH || process.getuid?.() === 0) {
    process.stderr.write('the interpreter of mk8.shell runs in its container only\n');
    process.exit(2);
  }
  /** The container's first process, the agent and this process: every later process was started by a command. */
  const spared: ReadonlySet<number> = new Set(runningPids());
  const host = containerHost({
    root: '/workspace',
    scratch: '/tmp',
    variables: variables(),
    endAll: () => {
      killOthers(spared);
    },
  });
  // From the executor, which judged it before; the script is compiled again all the same.
  const order = JSON.parse(readFileSync(STDIN, 'utf8')) as ScriptOrder;
  void runOrder(order, host).then((report) => {
    process.stdout.write(JSON.stringify(report));
    process.exitCode = report.status === 'completed' ? 0 : 1;
  });
}

if (startupSnapshot.isBuildingSnapshot()) {
  startupSnapshot.setDeserializeMainFunction(main);
  void rehearse();
} else main();
