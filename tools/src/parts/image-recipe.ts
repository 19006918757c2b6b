// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** The content of every sandbox before Node and the agent are added. */
export interface Recipe {
  /** Debian's code name. Fixed, so that a sandbox does not depend on the machine of its build. */
  readonly suite: string;
  /** The same system from a registry. */
  readonly image: string;
  readonly packages: readonly string[];
}

export const RECIPE: Recipe = {
  suite: 'bookworm',
  image: 'docker.io/library/debian:bookworm-slim',
  // The tools that agents use first, to build and test what they work on. No C++: it would add half as much again.
  packages: [
    'ca-certificates',
    'curl',
    'gcc',
    'git',
    'jq',
    'libc6-dev',
    'make',
    'patch',
    'python3',
    'python3-pip',
    'python3-venv',
    'ripgrep',
    'unzip',
    'zip',
  ],
};

/**
 * The options of dpkg while it installs packages. Nothing is synced to the disk, since a build that breaks off starts
 * again, and files for readers aren't written.
 */
export const DPKG_OPTIONS = {
  file: './etc/dpkg/dpkg.cfg.d/writ-build',
  content:
    'force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\npath-exclude=/usr/share/locale/*\n',
} as const;

/** Files for package managers and readers, neither of which is in a sandbox. */
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
  // Shows the compiler's own intermediate files, and is as large as the compiler.
  './usr/bin/*-lto-dump-*',
  DPKG_OPTIONS.file,
];

const HASH_HEX = 12;

/** The name of the base image, from all inputs of its build, so that an unchanged one is reused. */
export const baseTag = (recipe: Recipe): string =>
  `writ/sandbox-base:${createHash('sha256')
    .update(JSON.stringify([recipe, LEFT_OUT]))
    .digest('hex')
    .slice(0, HASH_HEX)}`;
