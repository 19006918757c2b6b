// SPDX-License-Identifier: Apache-2.0
// A process with warm containers and a running job, for a test that kills it. Prints the ids of its containers.
import { testAddress } from '@writ/testing';
import { DockerSandbox } from './docker-sandbox.ts';
import { LIMITS, testEngine, until } from './engine.contract.ts';

const [owner = '', image = '', command = 'sleep 1000'] = process.argv.slice(2);
const sandbox = await DockerSandbox.open({
  docker: testEngine(),
  label: testAddress('WRIT_TEST_LABEL'),
  owner,
  pools: [{ image, size: LIMITS, count: 2 }],
});
await sandbox.warm();
void sandbox.run(
  { image, files: [], command, cwd: '', env: {}, labels: {}, limits: LIMITS },
  new AbortController().signal,
);
await until('a job runs beside a full pool', () => sandbox.containers.length === 3);
await sandbox.warm();
process.send?.(sandbox.containers);
