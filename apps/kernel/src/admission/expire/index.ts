// SPDX-License-Identifier: Apache-2.0
export { ExpireHeld } from './expire-held.ts';
export { WakeHeld } from './wake-held.ts';
