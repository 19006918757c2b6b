// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between two tries, in milliseconds. */
const PAUSE_MS = 250;
/** How long one try may take: a host that drops what it doesn't know answers nothing. In milliseconds. */
const TRY_MS = 2_000;
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'nats:': 4_222,
  'tls:': 4_222,
  'postgres:': 5_432,
  'postgresql:': 5_432,
};

/** How long to wait, and who is told for what. */
export interface Waiting {
  /** milliseconds from now; 0 tries once */
  readonly withinMs: number;
  /** hears once of each address that is waited for */
  readonly say: (variable: string, address: string) => void;
}

/**
 * Waits until somebody listens at each address. In a cluster all parts start at once, and a process that ended because
 * another part wasn't there yet would be started again later and later.
 *
 * @param addresses URLs by the variables that name them; of several in one, separated by commas, one is enough. One
 *   without a host is not waited for
 * @throws Error that names the variable, the address and what the system said
 */
export async function whenReachable(addresses: Readonly<Record<string, string>>, waiting: Waiting): Promise<void> {
  const until = performance.now() + waiting.withinMs;
  await Promise.all(
    Object.entries(addresses).map(async ([variable, text]) => {
      const places = text
        .split(',')
        .map((part) => placeOf(part.trim()))
        .filter((place) => place !== null);
      if (places.length > 0) await reached(variable, places, until, waiting);
    }),
  );
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Null where the URL names no host: whoever connects says what is wrong with it. */
function placeOf(url: string): Place | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  const number = port === '' ? DEFAULT_PORTS[protocol] : Number(port);
  return hostname === '' || number === undefined ? null : { host: hostname.replace(/^\[|\]$/g, ''), port: number };
}

async function reached(
  variable: string,
  places: readonly Place[],
  until: number,
  { withinMs, say }: Waiting,
): Promise<void> {
  const named = places.map(({ host, port }) => `${host}:${port}`).join(', ');
  for (let tries = 0; ; tries += 1) {
    const failures: string[] = [];
    for (const place of places) {
      const failure = await failureAt(place);
      if (failure === null) return;
      failures.push(failure);
    }
    if (performance.now() + PAUSE_MS > until) {
      throw new Error(
        `nobody listens at \`${named}\` (${[...new Set(failures)].join(', ')}), which \`${variable}\` names, after ${withinMs} ms: start it, correct the variable, or raise \`WRIT_START_WAIT_MS\``,
      );
    }
    if (tries === 0) say(variable, named);
    await sleep(PAUSE_MS);
  }
}

/** Null where somebody listens; else the system's code. */
async function failureAt({ host, port }: Place): Promise<string | null> {
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
