// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/contract';
import { usage } from './cli-error.ts';

/** A host with the methods that may be asked of it. */
export function parseNet(text: string): Grant['net'][number] {
  const [, domain, methods] = /^([^=\s]+)=([A-Z]+(?:,[A-Z]+)*)$/.exec(text) ?? [];
  if (domain === undefined || methods === undefined)
    throw usage(`\`--net ${text}\` is no host with methods: write api.example.org=GET,POST`);
  return { domain, methods: methods.split(',') };
}
