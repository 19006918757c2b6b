// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { buildSandboxImage } from './image.ts';
import { testEngine, withImageSource } from './engine.contract.ts';

const docker = testEngine();

test('an image is built once, rebuilt for another agent, and named by its id', async () => {
  await withImageSource(docker, async (source) => {
    const reference = `writ/sandbox-test:image-${process.pid}`;
    const first = await buildSandboxImage({ ...source, reference });
    expect(first).toMatchObject({ reference, built: true });
    expect(first.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await buildSandboxImage({ ...source, reference })).toEqual({ ...first, built: false });

    const { Config, Id } = await docker.getImage(reference).inspect();
    expect(Id).toBe(first.digest);
    expect(Config).toMatchObject({ User: '10001:10001', WorkingDir: '/workspace', Entrypoint: ['/opt/writ/agent'] });
    expect(Config.Labels?.['writ.agent']).toMatch(/^[0-9a-f]{64}$/);

    await writeFile(source.agentBundlePath, '// another agent\n');
    const second = await buildSandboxImage({ ...source, reference });
    expect([second.built, second.digest === first.digest]).toEqual([true, false]);
    for (const { digest } of [first, second]) await docker.getImage(digest).remove({ force: true });
  });
}, 240_000);

test('a missing base image is reported', async () => {
  await withImageSource(docker, async (source) => {
    await expect(buildSandboxImage({ ...source, base: 'writ-no-such-base:none' })).rejects.toThrow(/no such image/i);
  });
}, 240_000);
