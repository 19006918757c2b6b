// SPDX-License-Identifier: Apache-2.0
// A custom image, made as docs/how-to/sandbox-images.md describes, and the binding of a call to the image in its
// permit.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import Docker from 'dockerode';
import { makeWorld, startStack, verifiedReceipt, type JsonValue, type Stack, type World } from '@writ/stack';
import { repositoryRoot, testAddress } from '@writ/testing';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const run = promisify(execFile);
const root = repositoryRoot();
/** The tag of this test alone: others use the engine too. */
const names = { base: `writ/own-base:${process.pid}`, image: `writ/own-image:${process.pid}` };

let docker: Docker;
let folder: string;
let digest: string;
let stack: Stack;
let world: World;

beforeAll(async () => {
  process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
  docker = new Docker();
  folder = mkdtempSync(join(tmpdir(), 'writ-images-'));
  const [, recipe = ''] =
    /```dockerfile\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/how-to/sandbox-images.md'), 'utf8')) ?? [];
  writeFileSync(join(folder, 'Dockerfile'), recipe.replace('writ/sandbox-base', testAddress('WRIT_TEST_SANDBOX_BASE')));
  const building = await docker.buildImage(
    { context: folder, src: ['Dockerfile'] },
    { t: names.base, networkmode: 'none' },
  );
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(building, (error) => (error === null ? resolve() : reject(error)));
  });
  const made = await run(
    process.execPath,
    ['tools/with-node.mjs', 'tools/src/image/main.ts', '--base', names.base, '--name', names.image],
    { cwd: root, env: process.env },
  );
  digest = made.stdout.trim();
  const images = join(folder, 'images.json');
  writeFileSync(images, JSON.stringify({ v: 1, images: [{ digest, tools: ['shell.run'], pools: [{ count: 1 }] }] }));
  stack = await startStack({
    env: { kernel: { WRIT_SANDBOX_IMAGES_FILE: images }, executor: { WRIT_SANDBOX_IMAGES_FILE: images } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});
afterAll(async () => {
  await stack?.stop();
  await Promise.allSettled([names.image, names.base].map((name) => docker.getImage(name).remove({ force: true })));
  rmSync(folder, { recursive: true, force: true });
});

const outputOf = async (toolId: string, args: JsonValue) => {
  const { body } = await world.call(toolId, args);
  const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
  return { output: (body.result as JsonValue).output as string, image: record['image_digest'] };
};

it('runs a call in a custom image, by the digest in its record', async () => {
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(digest).not.toBe(testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'));
  const { output, image } = await outputOf('shell.run', { command: 'cat /opt/acme/edition a.txt; id -u' });
  expect(output).toBe('our tools, first edition\none\n10001\n');
  expect(image).toBe(digest);
});

it("runs calls without a custom image in the deployment's image", async () => {
  const { output, image } = await outputOf('shell.session', { command: 'ls /opt' });
  expect(output).not.toContain('acme');
  expect(image).toBe(testAddress('WRIT_TEST_SANDBOX_IMAGE_DIGEST'));
});

it('uses the image of the permit when its tag points to another', async () => {
  const [repo = '', tag = ''] = names.image.split(':');
  await docker.getImage(testAddress('WRIT_TEST_SANDBOX_IMAGE')).tag({ repo, tag });
  expect((await outputOf('shell.run', { command: 'cat /opt/acme/edition' })).output).toBe('our tools, first edition\n');
  await docker.getImage(digest).tag({ repo, tag });
});
