// SPDX-License-Identifier: Apache-2.0

/** The keys of the settings file of the local set-up: which one a command uses. */
export const KEY_HOLDERS = ['admin', 'operator', 'agent', 'platform'] as const;
export type KeyHolder = (typeof KEY_HOLDERS)[number];
