// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** What is in every sandbox before Node and the agent are added. */
export interface Recipe {
  /** Debian's code name. Fixed, so that a sandbox does not depend on the machine that built it. */
  readonly suite: string;
  /** The same system from a registry. */
  readonly image: string;
  readonly packages: readonly string[];
}

export const RECIPE: Recipe = {
  suite: 'bookworm',
  image: 'docker.io/library/debian:bookworm-slim',
  // What agents reach for first; make and compilers would triple the size.
  packages: ['ca-certificates', 'curl', 'git', 'patch', 'python3'],
};

/** Needed by a package manager or a reader, neither of which is in a sandbox. */
export const LEFT_OUT = [
  './proc/*',
  './sys/*',
  './dev/*',
  './var/lib/apt/lists/*',
  './var/cache/*',
  './var/log/*',
  './usr/share/doc/*',
  './usr/share/man/*',
  './usr/share/locale/*',
  './tmp/*',
];

const HASH_HEX = 12;

/** Names the base image by everything that goes into it, so that an unchanged one is found again. */
export const baseTag = (recipe: Recipe): string =>
  `writ/sandbox-base:${createHash('sha256')
    .update(JSON.stringify([recipe, LEFT_OUT]))
    .digest('hex')
    .slice(0, HASH_HEX)}`;
