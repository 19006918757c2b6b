// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { FairTurns } from '@writ/fairness';

/** Searches at once. Each holds a connection of the pool, which has ten, and one thread compares vectors for all. */
const SEARCHES_MAX = 4;
/** Searches of one tenant at once: it leaves a place to others. */
const PER_TENANT = 3;
/** Waiting searches of one tenant. */
const WAITING_MAX = 32;

/** Shares the places for searches among tenants. Its refusal is the fault `overloaded`. */
export const searchTurns = (): FairTurns =>
  new FairTurns(
    {
      atOnce: SEARCHES_MAX,
      perTenantMax: PER_TENANT,
      waitingMax: WAITING_MAX,
      refusal: () => new Fault('overloaded', `${WAITING_MAX} searches of the tenant wait already: try again later`),
    },
    () => performance.now(),
  );
