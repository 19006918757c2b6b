// SPDX-License-Identifier: Apache-2.0
// An interrupted run of tests ends the processes that carry its mark. A process without it would stay behind.
import { readFileSync } from 'node:fs';
import { runMark, sharedStack } from '@writ/stack';

test('every service of a stack carries the mark of its run of tests', async () => {
  const [[name, value] = []] = Object.entries(runMark());
  const pids = Object.values((await sharedStack()).pids());
  expect(pids).toHaveLength(4);
  for (const pid of pids)
    expect(readFileSync(`/proc/${String(pid)}/environ`, 'utf8').split('\0')).toContain(
      `${String(name)}=${String(value)}`,
    );
});
