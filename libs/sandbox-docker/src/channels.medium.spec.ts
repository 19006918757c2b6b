// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { CHANNELS_MAX } from '@writ/sandbox';
import type { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, runIn, textOf } from './engine.contract.ts';

let sandbox: DockerSandbox;
let image: string;
beforeAll(async () => {
  ({ sandbox, image } = await openSandbox());
}, 240_000);
afterAll(() => sandbox.close(), 240_000);

const run = (command: string, serve: (connection: Duplex) => void) =>
  runIn(sandbox, image, command, {}, { egress: { serve } });
const python = (text: string) =>
  `python3 - <<'EOF'\nimport os, socket, threading, time\nport = int(os.environ['http_proxy'].rsplit(':', 1)[1])\nconnect = lambda: socket.create_connection(('127.0.0.1', port), 10)\n${text}\nEOF`;
const echo = (connection: Duplex) => connection.pipe(connection);

test('megabytes are echoed unchanged, and each direction closes separately', async () => {
  const result = await run(
    python(`
s = connect()
sent = os.urandom(1 << 20) * 4
def send():
    s.sendall(sent)
    s.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
got = b''
while chunk := s.recv(65536): got += chunk
print(got == sent)`),
    echo,
  );
  expect([result.ended, textOf(result)]).toEqual(['exited', 'True\n']);
});

test('a connection that is not read outside blocks neither another connection nor the output', async () => {
  let first = true;
  const result = await run(
    python(`
stuck = connect()
stuck.settimeout(0.5)
try:
    while True: stuck.send(b'x' * 65536)
except TimeoutError: print('stuck')
free = connect()
free.sendall(b'through')
print(free.recv(16).decode())`),
    (connection) => {
      // The first connection is accepted and never read.
      if (!first) echo(connection);
      first = false;
    },
  );
  expect(textOf(result)).toBe('stuck\nthrough\n');
});

test('a connection that is not read inside blocks no other', async () => {
  const result = await run(
    python(`
stuck = connect()
stuck.sendall(b'flood')
time.sleep(0.5)
free = connect()
free.sendall(b'echo')
print(free.recv(16).decode())`),
    (connection) => {
      void once(connection, 'data').then(([asked]) =>
        connection.write((asked as Buffer).toString() === 'flood' ? Buffer.alloc(8 << 20) : (asked as Buffer)),
      );
    },
  );
  expect(textOf(result)).toBe('echo\n');
});

test('a flood of connections is limited, and the job continues', async () => {
  const [open, most] = [new Set<Duplex>(), { now: 0 }];
  const result = await run(
    python(`
all = []
for n in range(300):
    try: all.append(connect())
    except OSError: pass
time.sleep(0.5)
for s in all: s.close()
time.sleep(0.3)
s = connect()
s.sendall(b'after')
print(s.recv(16).decode())`),
    (connection) => {
      open.add(connection.once('close', () => open.delete(connection)));
      most.now = Math.max(most.now, open.size);
      echo(connection);
    },
  );
  expect(textOf(result)).toBe('after\n');
  expect(most.now).toBeLessThanOrEqual(CHANNELS_MAX);
});

test('a forged frame of a channel breaks its job and nothing else', async () => {
  const forge = (frame: string) => `python3 -c "import struct, os; os.write(1, ${frame})" > /proc/1/fd/1; sleep 5`;
  const [forged, good] = await Promise.all([
    run(forge("struct.pack('>IBBI', 4, 1, 96, 77)"), echo),
    run('echo fine', echo),
  ]);
  expect(forged).toMatchObject({ ended: 'invalid', reason: 'protocol', changes: [] });
  expect(good).toMatchObject({ ended: 'exited', exitCode: 0 });
  // A connection that the agent didn't open is still limited to this job.
  const served: Duplex[] = [];
  await run(forge("struct.pack('>IBBI', 4, 1, 96, 1)").replace('sleep 5', 'true'), (connection) =>
    served.push(connection),
  );
  expect(served.map(({ destroyed }) => destroyed)).toEqual([true]);
});
