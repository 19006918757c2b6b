// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { PodAsker, WAITING, type GatePeer, type Resolve } from './ask-pods.ts';
import { reasonsToWait } from './decide.ts';

export interface GateOptions {
  /** Of the process that wants to start: that of the image. */
  readonly version: string;
  readonly peers: readonly GatePeer[];
  /** Where other gates ask this pod; 0 picks one. */
  readonly port: number;
  /** Milliseconds after which a pod that doesn't answer no longer holds this one up. */
  readonly silentMs: number;
  readonly say: (line: string) => void;
  /** Ends the wait; it never ends by itself while a pod has the wrong version. */
  readonly signal?: AbortSignal;
  /** Told of the port once others can ask. */
  readonly onListening?: (port: number) => void;
  /** The system's name service unless said. */
  readonly resolve?: Resolve;
}

/** Between two rounds of questions, in milliseconds. */
const ROUND_MS = 1_000;
/** What holds the gate is said when it changes, and so often again, in milliseconds. */
const REPEAT_MS = 30_000;

/** `ledger=writ-ledger-ops:9464`. @throws Failure */
export function parsePeer(side: GatePeer['side'], text: string): GatePeer {
  const [, component = '', host = '', port = ''] = /^([a-z]+)=([A-Za-z0-9.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (component === '') throw new Failure(`\`--${side} ${text}\`: write \`COMPONENT=HOST:PORT\``);
  return { component, side, host, port: Number(port) };
}

/** Says to other gates that nothing runs here yet. */
async function answerWaiting(version: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const isAsked = request.method === 'GET' && request.url === '/healthz';
    response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isAsked ? JSON.stringify({ status: WAITING, version }) : '{"error":"not found"}');
  });
  server.listen(port, '0.0.0.0');
  await once(server, 'listening');
  return server;
}

async function reasons(asker: PodAsker, options: GateOptions): Promise<string[]> {
  try {
    return reasonsToWait(await asker.ask(), options);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Waits until the process of this pod may start, and says for whom. It asks pods by HTTP and needs no right in the
 * cluster.
 *
 * @returns what was waited for, in a sentence
 * @throws Failure where the signal ended the wait, or the port is taken
 */
export async function passGate(options: GateOptions): Promise<string> {
  const { version, peers, port, say, signal } = options;
  const asker = new PodAsker(peers, () => performance.now(), options.resolve);
  const server = await answerWaiting(version, port).catch((error: unknown) => {
    throw new Failure(`port ${port} can't be listened on`, error);
  });
  options.onListening?.((server.address() as AddressInfo).port);
  const began = performance.now();
  let said = { text: '', at: -Infinity };
  try {
    for (;;) {
      const waiting = await reasons(asker, options);
      if (waiting.length === 0) return `version ${version} may start after ${Math.round(performance.now() - began)} ms`;
      if (signal?.aborted === true) throw new Failure(`stopped while it waited: ${waiting.join('; ')}`);
      const text = `version ${version} waits: ${waiting.join('; ')}`;
      const now = performance.now();
      if (text !== said.text || now - said.at > REPEAT_MS) {
        say(text);
        said = { text, at: now };
      }
      await delay(ROUND_MS);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
