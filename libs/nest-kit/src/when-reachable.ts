// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between two tries, in milliseconds. */
const PAUSE_MS = 250;
/** How long one try may take, in milliseconds: a host that drops unknown packets answers nothing. */
const TRY_MS = 2_000;
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'nats:': 4_222,
  'tls:': 4_222,
  'postgres:': 5_432,
  'postgresql:': 5_432,
};

/** How long to wait, and what reports a wait. */
export interface WaitOptions {
  /** milliseconds from now; 0 tries once */
  readonly withinMs: number;
  /** called once for each address that is waited for */
  readonly report: (variable: string, address: string) => void;
}

/**
 * Waits until each address accepts connections. In a cluster all parts start at once. A process that ended because
 * another part wasn't ready yet would be restarted with growing delays.
 *
 * @param addresses URLs by the variables that name them. One of several in a variable, separated by commas, is enough.
 * URLs without a host are skipped.
 * @throws Error that names the variable, the address and the system's error code
 */
export async function whenReachable(addresses: Readonly<Record<string, string>>, waiting: WaitOptions): Promise<void> {
  const until = performance.now() + waiting.withinMs;
  await Promise.all(
    Object.entries(addresses).map(async ([variable, text]) => {
      const targets = text
        .split(',')
        .map((part) => addressOf(part.trim()))
        .filter((address) => address !== null);
      if (targets.length > 0) await reached(variable, targets, until, waiting);
    }),
  );
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Null where the URL names no host: the client that connects reports that error. */
function addressOf(url: string): Address | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  const number = port === '' ? DEFAULT_PORTS[protocol] : Number(port);
  return hostname === '' || number === undefined ? null : { host: hostname.replace(/^\[|\]$/g, ''), port: number };
}

async function reached(
  variable: string,
  targets: readonly Address[],
  until: number,
  { withinMs, report }: WaitOptions,
): Promise<void> {
  const named = targets.map(({ host, port }) => `${host}:${port}`).join(', ');
  for (let tries = 0; ; tries += 1) {
    const failures: string[] = [];
    for (const address of targets) {
      const failure = await failureAt(address);
      if (failure === null) return;
      failures.push(failure);
    }
    if (performance.now() + PAUSE_MS > until) {
      throw new Error(
        `nobody listens at \`${named}\` (${[...new Set(failures)].join(', ')}), which \`${variable}\` names, after ${withinMs} ms: start it, correct the variable, or raise \`WRIT_START_WAIT_MS\``,
      );
    }
    if (tries === 0) report(variable, named);
    await sleep(PAUSE_MS);
  }
}

/** Null where the address accepts connections; else the system's error code. */
async function failureAt({ host, port }: Address): Promise<string | null> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (failure: string | null): void => {
      socket.destroy();
      resolve(failure);
    };
    socket
      .setTimeout(TRY_MS, () => end('ETIMEDOUT'))
      .on('connect', () => end(null))
      .on('error', ({ code }: NodeJS.ErrnoException) => end(code ?? 'unknown'));
  });
}
