// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { testAddress } from '@writ/testing';
import { containerOptions } from './container-options.ts';
import { openInput } from './direct-input.ts';
import { openSandbox, runIn, SIZE as size, testEngine, testImage, textOf } from './engine.contract.ts';
import { startContainer } from './start-container.ts';

const MIB = 1024 * 1024;
const labels = { writ: testAddress('WRIT_TEST_LABEL') };

/**
 * Starts a container that echoes its input. Returns the engine's stream to it, and the host's number of its process 1.
 */
async function echo(over: object = {}) {
  const docker = testEngine();
  const image = await testImage(docker);
  const container = await docker.createContainer({
    ...containerOptions({ image, size, labels }),
    Entrypoint: ['cat'],
    Cmd: [],
    ...over,
  });
  const stream = (await container.attach({
    stream: true,
    hijack: true,
    stdin: true,
    stdout: true,
  })) as unknown as Duplex;
  await container.start();
  return { container, stream, pid: (await container.inspect()).State.Pid };
}

test('the container reads the bytes that are written, and its input ends when both writers are closed', async () => {
  const { container, stream, pid } = await echo();
  const gone = container.wait({ condition: 'removed' });
  const input = openInput(pid, container.id);
  input?.write('by the short way');
  const [heard] = (await once(stream, 'data')) as [Buffer];
  // The engine adds a frame header.
  expect(heard.subarray(8).toString()).toBe('by the short way');
  stream.end();
  input?.end();
  expect(await gone).toMatchObject({ StatusCode: 0 });
}, 240_000);

test('a process of another container, another program and a process that has ended are rejected', async () => {
  const [one, other] = [
    await echo(),
    await echo({ HostConfig: { AutoRemove: true, Init: false, NetworkMode: 'none' } }),
  ];
  expect(openInput(one.pid, other.container.id)).toBeNull();
  expect(openInput(other.pid, other.container.id)).toBeNull();
  expect(openInput(process.pid, one.container.id)).toBeNull();
  await Promise.all([one, other].map(({ container }) => container.remove({ force: true })));
  expect(openInput(one.pid, one.container.id)).toBeNull();
}, 240_000);

test('a sender is released when the container ends meanwhile, and nothing stays pending', async () => {
  const docker = testEngine();
  const container = await startContainer(docker, { image: await testImage(docker), size, labels }, () => undefined);
  const closed = new Promise<null>((resolve) => {
    container.listen({ message: () => undefined, closed: () => resolve(null) });
  });
  // Not a frame: the agent ends at the first of these bytes.
  const piece = Buffer.alloc(MIB / 16);
  const sending = (async () => {
    for (let sent = 0; sent < 4096; sent += 1) await container.send([piece]);
  })();
  await Promise.all([sending, closed]);
  expect(container.waitingBytes).toBe(0);
  await container.remove();
}, 240_000);

test('a large input arrives completely', async () => {
  const { sandbox, image } = await openSandbox();
  const bytes = Buffer.alloc(3 * MIB, 'abcdefghijk');
  const files = Array.from({ length: 40 }, (_, i) => ({
    path: `f${String(i)}`,
    kind: 'file' as const,
    mode: '644' as const,
    bytes: bytes.subarray(0, 100_000 + i),
  }));
  const result = await runIn(
    sandbox,
    image,
    'cat > in; cmp in <(cat f39 f0) || cat f* | wc -c; wc -c < in',
    {},
    { files, stdin: Buffer.concat([files[39]?.bytes ?? '', files[0]?.bytes ?? ''].map(Buffer.from)) },
  );
  expect(textOf(result)).toBe('200039\n');
  await sandbox.close();
}, 240_000);
