// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { linkLocalNeighbours, type LinkNeighbours } from './link-local.ts';
import type { Address } from './options.ts';

/** Consecutive refusals that are required: rules become active one by one, and a lost packet is no refusal. */
const REFUSALS = 3;
/**
 * Milliseconds between two tries. Network rules become active about a second late; trying more often would only load
 * the node.
 */
const PAUSE_MS = 50;
/** A firewall that drops packets never answers; any neighbour would answer within this time. */
const CONNECT_MS_MAX = 500;
/** Rules that are not active by then are not coming. */
const CLOSED_MS_MAX = 15_000;

/** The clock and the neighbour discovery of the check. */
export interface NetworkProbes {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** The addresses that IPv6 may reach on the container's own link. */
  readonly neighbours: () => Promise<LinkNeighbours>;
}

const SYSTEM_PROBES: NetworkProbes = { now: () => performance.now(), neighbours: linkLocalNeighbours };

/**
 * Resolves when each address has refused this container several times in a row, and afterwards no neighbour on its link
 * answered over IPv6 either. A network that is closed by rules is open until they are active: nothing of a job may run
 * before. Rejects when an address still answers after 15 seconds, with an Error that names it.
 */
export async function verifyNetworkClosed(
  addresses: readonly Address[],
  { now, neighbours }: NetworkProbes = SYSTEM_PROBES,
): Promise<void> {
  if (addresses.length === 0) return;
  const end = now() + CLOSED_MS_MAX;
  await Promise.all(addresses.map((address) => awaitRefusals([address], isConnectable, '', now, end)));
  // The tries above filled the neighbour table.
  for (let found = await neighbours(); found.isTentative || found.addresses.length > 0; found = await neighbours()) {
    if (!found.isTentative) return await awaitRefusals(found.addresses, isReachable, IPV6_HINT, now, end);
    if (now() > end) throw new Error('the network is not up: an IPv6 address of this container stays tentative');
    await sleep(PAUSE_MS);
  }
}

const IPV6_HINT =
  ' by IPv6: network policies hold for IPv4 alone there, so turn IPv6 off for pods, or enforce policies for it too';

/**
 * Resolves when no address answered several times in a row; rejects at the end, with the address that answered last.
 */
async function awaitRefusals(
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

const isConnectable = async (address: Address): Promise<boolean> => (await connectionResultOf(address)) === 'connected';

/** Whether packets reach the address and return: a refusal by the neighbour itself shows that like a connection. */
const isReachable = async (address: Address): Promise<boolean> =>
  ['connected', 'ECONNREFUSED', 'ECONNRESET'].includes(await connectionResultOf(address));

/** `connected`, `silence`, or the code of the error. */
function connectionResultOf({ host, port }: Address): Promise<string> {
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
