// SPDX-License-Identifier: Apache-2.0
//
// The interpreter of scripts. An image carries it as a startup snapshot of V8 beside its source: what its modules make
// of themselves is made when the image is built, and not for each script. INVARIANT (nothing of the image's): what a
// run may see of the machine is asked for in `main`, which runs when a script does.
import { readFileSync } from 'node:fs';
import { startupSnapshot } from 'node:v8';
import { carryOut, type ScriptOrder } from '@writ/mk8-shell';
import { variables } from './config.env.ts';
import { containerHost } from './container-host.ts';
import { endOthers, running } from './end-others.ts';
import { rehearse } from './rehearse-script.ts';

/** Where the image has it. */
const OWN_PATH = '/opt/writ/mk8.js';
const STDIN = 0;

function main(): void {
  // After a command everything is killed that it may have started: outside its container the interpreter must not run.
  if (process.argv[1] !== OWN_PATH || process.getuid?.() === 0) {
    process.stderr.write('the interpreter of mk8.shell runs in its container only\n');
    process.exit(2);
  }
  /** The container's first process, the agent and this one: whatever comes later was started by a command. */
  const spared: ReadonlySet<number> = new Set(running());
  const host = containerHost({
    root: '/workspace',
    scratch: '/tmp',
    variables: variables(),
    endAll: () => {
      endOthers(spared);
    },
  });
  // From whoever started the container, who judged it; it is compiled anew all the same.
  const order = JSON.parse(readFileSync(STDIN, 'utf8')) as ScriptOrder;
  void carryOut(order, host).then((report) => {
    process.stdout.write(JSON.stringify(report));
    process.exitCode = report.status === 'completed' ? 0 : 1;
  });
}

if (startupSnapshot.isBuildingSnapshot()) {
  startupSnapshot.setDeserializeMainFunction(main);
  void rehearse();
} else main();
