// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { linkLocalNeighbours, type LinkNeighbours } from './link-local.ts';
import type { Address } from './options.ts';

/** Refusals that must follow each other: rules come in one by one, and a lost packet is no refusal. */
const REFUSALS = 3;
/** Between two tries. A network's rules are a second late; asking more often would only cost its node. */
const PAUSE_MS = 50;
/** A firewall that drops instead of refusing answers nothing: in this time any neighbour would have. */
const CONNECT_MS_MAX = 500;
/** Rules that take longer aren't on their way. */
const CLOSED_MS_MAX = 15_000;

/** What a look at an address, or at all of a kind, is made with. */
export interface Looks {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** What IPv6 may reach on the container's own link. */
  readonly neighbours: () => Promise<LinkNeighbours>;
}

const LOOKS: Looks = { now: () => performance.now(), neighbours: linkLocalNeighbours };

/**
 * Resolves when each address has refused this container several times in a row, and afterwards no neighbour on its link
 * answered by IPv6 either. A network that is closed by rules is open until they are in: nothing of a job may run
 * before. Rejects when one still answers after 15 seconds, with an Error that names it.
 */
export async function untilClosed(addresses: readonly Address[], { now, neighbours }: Looks = LOOKS): Promise<void> {
  if (addresses.length === 0) return;
  const end = now() + CLOSED_MS_MAX;
  await Promise.all(addresses.map((address) => untilRefused([address], connects, '', now, end)));
  // The tries above made the neighbours known.
  for (let found = await neighbours(); found.isEarly || found.addresses.length > 0; found = await neighbours()) {
    if (!found.isEarly) return await untilRefused(found.addresses, isThere, BY_IPV6, now, end);
    if (now() > end) throw new Error('the network is not up: an IPv6 address of this container stays tentative');
    await sleep(PAUSE_MS);
  }
}

const BY_IPV6 =
  ' by IPv6: network policies hold for IPv4 alone there, so turn IPv6 off for pods, or enforce policies for it too';

/** Resolves when no address answers several times in a row; rejects at the end, with the one that answered last. */
async function untilRefused(
  addresses: readonly Address[],
  answers: (address: Address) => Promise<boolean>,
  hint: string,
  now: () => number,
  end: number,
): Promise<void> {
  let last: Address | undefined;
  for (let refused = 0; refused < REFUSALS; await sleep(PAUSE_MS)) {
    if (now() > end)
      throw new Error(`the network is open: ${last?.text ?? 'an address'} answers this container${hint}`);
    const answered = await Promise.all(addresses.map(answers));
    const found = addresses.find((_, index) => answered[index]);
    last = found ?? last;
    refused = found === undefined ? refused + 1 : 0;
  }
}

const connects = async (address: Address): Promise<boolean> => (await answerOf(address)) === 'connected';

/** Whether packets reach it and come back: a refusal by the neighbour itself shows that as well as a connection. */
const isThere = async (address: Address): Promise<boolean> =>
  ['connected', 'ECONNREFUSED', 'ECONNRESET'].includes(await answerOf(address));

/** `connected`, `silence`, or the code of the error. */
function answerOf({ host, port }: Address): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end('silence'), CONNECT_MS_MAX);
    socket.once('connect', () => end('connected'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'));
  });
}
