// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metered } from './metered.ts';

/** A connection to a server of the test's, which does this to each that comes. */
async function metered(serve: (socket: Socket) => void): Promise<{ connection: Metered; inner: Socket }> {
  const server = createServer((socket) => {
    serve(socket.on('error', () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const inner = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(inner, 'connect');
  server.close();
  const connection = new Metered(inner, { sent: () => undefined, received: () => undefined });
  connection.on('error', () => undefined);
  return { connection, inner };
}

/** Reads to the end, slowly: what came is still waiting here when the other side has long gone. */
async function readSlowly(connection: Metered): Promise<number> {
  let size = 0;
  for await (const part of connection as AsyncIterable<Buffer>) {
    await sleep(20);
    size += part.length;
  }
  return size;
}

it('hands on all that came before the other side closed, however slowly it is read', async () => {
  for (const size of [1, 40_000, 100_000, 300_000]) {
    const { connection } = await metered((socket) => {
      socket.end(Buffer.alloc(size));
    });
    expect(await readSlowly(connection)).toBe(size);
    if (!connection.closed) await once(connection, 'close');
  }
});

it('breaks where the other side broke off', async () => {
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

it('ends the inner connection with itself', async () => {
  const { connection, inner } = await metered(() => undefined);
  connection.destroy();
  await once(inner, 'close');
  expect(inner.destroyed).toBe(true);
});
