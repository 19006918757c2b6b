// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { testAddress } from '@writ/testing';
import { CONTRACT_LIMITS, sandboxContract } from '@writ/sandbox/contract';
import { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, testEngine, testImage } from './engine.contract.ts';

sandboxContract('the Docker sandbox, warm', async () => {
  const docker = testEngine();
  const image = await testImage(docker);
  const pools = [{ image, size: CONTRACT_LIMITS, count: 2 }];
  const sandbox = await DockerSandbox.open({
    docker,
    label: testAddress('WRIT_TEST_LABEL'),
    owner: `test-${randomUUID()}`,
    pools,
  });
  await sandbox.warm();
  return { sandbox, image, limits: CONTRACT_LIMITS };
});

sandboxContract('the Docker sandbox, cold', async () => {
  const { sandbox, image } = await openSandbox();
  return { sandbox, image, limits: CONTRACT_LIMITS };
});
