// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { checkout } from '../setup.ts';

/** A Secret or ConfigMap that the set-up makes. */
export interface KeySet {
  readonly name: string;
  readonly entries: readonly {
    readonly name: string;
    /** the loss without it, where it can't be made again */
    readonly lost?: string;
  }[];
}

/** Imported by path: no tool depends on an app, and this only reads its data. */
export async function readKeySets(): Promise<readonly KeySet[]> {
  const { keySets } = (await import(join(checkout, 'apps/setup/src/keys/layout.ts'))) as {
    keySets: (options: object) => readonly KeySet[];
  };
  return keySets({ deployment: 'd', natsHosts: [], postgresHosts: [], now: () => new Date(0) });
}
