// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from './options.ts';

/** Refusals that must follow each other: rules come in one by one, and a lost packet is no refusal. */
const REFUSALS = 3;
/** Between two tries. A network's rules are a second late; asking more often would only cost its node. */
const PAUSE_MS = 50;
/** A firewall that drops instead of refusing answers nothing: in this time any neighbour would have. */
const CONNECT_MS_MAX = 500;
/** Rules that take longer aren't on their way. */
const CLOSED_MS_MAX = 15_000;

/**
 * Resolves when each address has refused this container several times in a row. A network that is closed by rules is
 * open until they are in: nothing of a job may run before. Rejects when an address still answers after 15 seconds, with
 * an Error that names it.
 */
export async function untilClosed(
  addresses: readonly Address[],
  now: () => number = () => performance.now(),
): Promise<void> {
  const end = now() + CLOSED_MS_MAX;
  await Promise.all(
    addresses.map(async (address) => {
      for (let refused = 0; refused < REFUSALS; await sleep(PAUSE_MS)) {
        if (now() > end) throw new Error(`the network is open: ${address.text} answers this container`);
        refused = (await answers(address)) ? 0 : refused + 1;
      }
    }),
  );
}

function answers({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answered: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answered);
    };
    const timer = setTimeout(() => end(false), CONNECT_MS_MAX);
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
