// SPDX-License-Identifier: Apache-2.0
import type { Host } from './host.ts';

/** What a suite does to an environment from inside, as a program in the sandbox could. */
export interface Inside {
  readonly host: Host;
  readonly link: (path: string, target: string) => Promise<void> | void;
  readonly close?: () => Promise<void>;
}
