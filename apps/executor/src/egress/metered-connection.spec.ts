// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { MeteredConnection, type TransferMeter } from './metered-connection.ts';

/** A metered connection to a server of the test that runs `serve` for each connection. */
async function metered(
  serve: (socket: Socket) => void,
  pass: TransferMeter['pass'] = () => null,
): Promise<{ connection: MeteredConnection; inner: Socket }> {
  const server = createServer((socket) => {
    serve(socket.on('error', () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const inner = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(inner, 'connect');
  server.close();
  const connection = new MeteredConnection(inner, { pass, sent: () => undefined, received: () => undefined });
  connection.on('error', () => undefined);
  return { connection, inner };
}

/** Reads to the end, slowly: bytes still wait to be read when the other side has long closed. */
async function readSlowly(connection: MeteredConnection): Promise<number> {
  let size = 0;
  for await (const part of connection as AsyncIterable<Buffer>) {
    await sleep(20);
    size += part.length;
  }
  return size;
}

it('a metered connection delivers all bytes that arrived before the other side closed, however slow the reader', async () => {
  for (const size of [1, 40_000, 100_000, 300_000]) {
    const { connection } = await metered((socket) => {
      socket.end(Buffer.alloc(size));
    });
    expect(await readSlowly(connection)).toBe(size);
    if (!connection.closed) await once(connection, 'close');
  }
});

it('a metered connection fails when the other side resets', async () => {
  const { connection } = await metered((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.alloc(40_000), () => {
        socket.resetAndDestroy();
      });
    });
  });
  connection.write('x');
  await expect(readSlowly(connection)).rejects.toThrow();
  expect(connection.destroyed).toBe(true);
});

it('destroying a metered connection destroys the inner connection', async () => {
  const { connection, inner } = await metered(() => undefined);
  connection.destroy();
  await once(inner, 'close');
  expect(inner.destroyed).toBe(true);
});

it('a metered connection holds bytes in both directions while its meter says so, and loses none', async () => {
  const hold = () => Promise.withResolvers<undefined>();
  let held: ReturnType<typeof hold> | null = hold();
  let [reached, received] = [0, 0];
  const release = (): void => {
    const released = held;
    held = null;
    released?.resolve(undefined);
  };
  let isAnswered = false;
  const { connection } = await metered(
    (socket) => {
      socket.on('data', (bytes: Buffer) => {
        reached += bytes.length;
        held = hold();
        socket.end(Buffer.alloc(300_000));
        isAnswered = true;
      });
    },
    () => held?.promise ?? null,
  );
  connection.on('data', (bytes: Buffer) => (received += bytes.length));
  const end = once(connection, 'end');
  connection.write('x');
  await sleep(30);
  expect([reached, received]).toEqual([0, 0]);
  release();
  while (!isAnswered) await sleep(5);
  await sleep(30);
  expect([reached, received]).toEqual([1, 0]);
  release();
  await end;
  expect([reached, received]).toEqual([1, 300_000]);
});

it('a metered connection that is held breaks with the reason when its meter refuses', async () => {
  let passes: Promise<void> | null = null;
  const { connection } = await metered(
    (socket) => socket.write('late'),
    () => passes,
  );
  passes = Promise.reject(new Error('refused'));
  passes.catch(() => undefined);
  connection.resume();
  const [error] = (await once(connection, 'error')) as [Error];
  expect(error.message).toBe('refused');
});

it('a metered connection sends no further slice of a long write once its meter holds', async () => {
  const taken: number[] = [];
  let take: (() => void) | undefined;
  const inner = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      taken.push(bytes.length);
      take = done;
    },
  });
  let isHeld = false;
  const connection = new MeteredConnection(inner, {
    pass: () => (isHeld ? new Promise(() => undefined) : null),
    sent: () => undefined,
    received: () => undefined,
  });
  connection.write(Buffer.alloc(1024 * 1024));
  await sleep(5);
  expect(taken).toEqual([16_384]);
  take?.();
  await sleep(5);
  expect(taken).toEqual([16_384, 16_384]);
  isHeld = true;
  take?.();
  await sleep(5);
  expect([taken.length, inner.writableLength]).toEqual([2, 0]);
  connection.destroy();
});

it('a metered connection does not end its side while its meter holds', async () => {
  const held = Promise.withResolvers<undefined>();
  let isHeld = true;
  let isEnded = false;
  const { connection } = await metered(
    (socket) => {
      socket.on('end', () => (isEnded = true)).resume();
    },
    () => (isHeld ? held.promise : null),
  );
  connection.end();
  await sleep(30);
  expect(isEnded).toBe(false);
  isHeld = false;
  held.resolve(undefined);
  await vi.waitFor(() => expect(isEnded).toBe(true));
  connection.destroy();
});
