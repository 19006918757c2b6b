// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { FairTurns } from '@writ/fairness';

/** Scans at once. Each holds a connection of the pool, which has ten, and the thread serves them in turn. */
const SCANS_MAX = 4;
/** Scans of one tenant at once: it leaves a place to others. */
const PER_TENANT = 3;
/** Waiting scans of one tenant. */
const WAITING_MAX = 32;

/** Shares the places for scans among tenants. Its refusal is the fault `overloaded`. */
export const scanTurns = (): FairTurns =>
  new FairTurns(
    {
      atOnce: SCANS_MAX,
      perTenantMax: PER_TENANT,
      waitingMax: WAITING_MAX,
      refusal: () => new Fault('overloaded', `${WAITING_MAX} searches of the tenant wait already: try again later`),
    },
    () => performance.now(),
  );
