// SPDX-License-Identifier: Apache-2.0
import type { PolicySetSource } from '../document/policy-document.ts';
import { DEFAULT_POLICY } from './default-policy.ts';

/** A set that decides and records like the given one, and enforces only what every set must. */
export function observing(source: PolicySetSource, name: string): PolicySetSource {
  return { ...source, name, enforcement: 'observe' };
}

export const OBSERVE_POLICY: PolicySetSource = {
  ...observing(DEFAULT_POLICY, 'observe'),
  description:
    'Decides as the default set does and records it, but lets calls run. To see what a policy would do before it does it.',
};
