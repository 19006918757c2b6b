// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { PodProbe, WAITING, type GatePeer, type Resolve } from './pod-probe.ts';
import { reasonsToWait } from './decide.ts';

export interface GateOptions {
  /** The version of the process that wants to start: that of the image. */
  readonly version: string;
  readonly peers: readonly GatePeer[];
  /** The port where other gates query this pod; 0 picks one. */
  readonly port: number;
  /** Milliseconds after which a pod that doesn't answer no longer delays this one. */
  readonly silentMs: number;
  readonly print: (line: string) => void;
  /** Ends the wait; it never ends by itself while a pod has the wrong version. */
  readonly signal?: AbortSignal;
  /** Called with the port once other gates can query it. */
  readonly onListening?: (port: number) => void;
  /** Resolves names; by default the system's resolver. */
  readonly resolve?: Resolve;
}

/** The interval of rounds, in milliseconds. */
const ROUND_MS = 1_000;
/** The reasons to wait are printed when they change, and again after so many milliseconds. */
const REPEAT_MS = 30_000;

/** `ledger=writ-ledger-ops:9464`. @throws Failure */
export function parsePeer(side: GatePeer['side'], text: string): GatePeer {
  const [, component = '', host = '', port = ''] = /^([a-z]+)=([A-Za-z0-9.-]+):(\d{1,5})$/.exec(text) ?? [];
  if (component === '') throw new Failure(`\`--${side} ${text}\`: write \`COMPONENT=HOST:PORT\``);
  return { component, side, host, port: Number(port) };
}

/** Answers other gates that this process doesn't run yet. */
async function answerWaiting(version: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const isHealthRequest = request.method === 'GET' && request.url === '/healthz';
    response.writeHead(isHealthRequest ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isHealthRequest ? JSON.stringify({ status: WAITING, version }) : '{"error":"not found"}');
  });
  server.listen(port, '0.0.0.0');
  await once(server, 'listening');
  return server;
}

async function reasons(probe: PodProbe, options: GateOptions): Promise<string[]> {
  try {
    return reasonsToWait(await probe.query(), options);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Waits until the process of this pod may start, and prints which pods it waits for. It queries pods over HTTP and
 * needs no rights in the cluster.
 *
 * @returns how long it waited, in a sentence
 * @throws Failure where the signal ended the wait, or the port is in use
 */
export async function passGate(options: GateOptions): Promise<string> {
  const { version, peers, port, print, signal } = options;
  const probe = new PodProbe(peers, () => performance.now(), options.resolve);
  const server = await answerWaiting(version, port).catch((error: unknown) => {
    throw new Failure(`port ${port} can't be listened on`, error);
  });
  options.onListening?.((server.address() as AddressInfo).port);
  const began = performance.now();
  let printed = { text: '', at: -Infinity };
  try {
    for (;;) {
      const waiting = await reasons(probe, options);
      if (waiting.length === 0) return `version ${version} may start after ${Math.round(performance.now() - began)} ms`;
      if (signal?.aborted === true) throw new Failure(`stopped while it waited: ${waiting.join('; ')}`);
      const text = `version ${version} waits: ${waiting.join('; ')}`;
      const now = performance.now();
      if (text !== printed.text || now - printed.at > REPEAT_MS) {
        print(text);
        printed = { text, at: now };
      }
      await delay(ROUND_MS);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
