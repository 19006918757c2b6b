// Tests the host of a container on this machine's own files and processes.
// `libs/sandbox-docker/src/interpreter.medium.spec.ts` tests it inside a container.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { hostContract } from '@writ/mk8-shell/contract';
import { containerHost } from './container-host.ts';
import { TestGate } from './test-gate.contract.ts';

/** Kills only the command's process group: this test runs outside of a container. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

hostContract('container', async () => {
  const root = mkdtempSync(join(tmpdir(), 'writ-mk8-'));
  const gate = new TestGate();
  const variables = { http_proxy: await gate.listen(), PLANTED: '1' };
  return {
    host: containerHost({ root, scratch: tmpdir(), variables, endAll: endGroup }),
    link: (path, target) => {
      symlinkSync(target, join(root, path));
    },
    close: () => {
      gate.close();
      rmSync(root, { recursive: true });
      return Promise.resolve();
    },
  };
});
