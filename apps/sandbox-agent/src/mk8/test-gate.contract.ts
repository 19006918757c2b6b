// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * A proxy like the gate: it answers `hello` for example.com, opens tunnels for it to a port of the test, and refuses
 * everything else.
 */
export class TestGate {
  readonly requests: string[] = [];
  readonly #server: Server;
  /** the port that tunnels to example.com:443 lead to; tunnels are refused unless set */
  tunnelPort: number | null = null;

  constructor() {
    this.#server = createServer((request, response) => {
      const url = request.url ?? '';
      this.requests.push(`${request.method ?? ''} ${url}`);
      if (url === 'http://example.com/') response.end('hello');
      else if (url === '/dns/example.com') response.end('93.184.216.34\n');
      else if (url === 'http://example.com/slow')
        request.on('close', () => {
          response.destroy();
        });
      else if (url === 'http://example.com/moved')
        response.writeHead(302, { location: 'http://elsewhere.example/' }).end();
      else
        response
          .writeHead(403, { 'content-type': 'text/plain; charset=utf-8' })
          .end('writ: egress.refused: no token grants it\nask for one\n');
    });
    this.#server.on('connect', (request, socket: Duplex) => {
      this.requests.push(`CONNECT ${request.url ?? ''}`);
      if (request.url !== 'example.com:443' || this.tunnelPort === null)
        return void socket.end(
          'HTTP/1.1 403 Forbidden\r\nContent-Length: 42\r\nConnection: close\r\n\r\nwrit: egress.refused: no token grants it\nx\n',
        );
      const beyond = connect(this.tunnelPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(beyond).pipe(socket);
      });
      for (const end of [socket, beyond])
        end.on('error', () => {
          socket.destroy();
          beyond.destroy();
        });
    });
  }

  /** Serves a connection that a container opened. */
  serve(connection: Duplex): void {
    connection.on('error', () => undefined);
    this.#server.emit('connection', connection);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
