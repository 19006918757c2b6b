// SPDX-License-Identifier: Apache-2.0
import type { PersonFacts } from '@writ/policy';

/** On whose behalf a call is made, for policy. Of a call without a known person, its key stands for one. */
export const personOf = ({
  person = null,
  proposed_by,
}: {
  readonly person?: string | null;
  readonly proposed_by: string;
}): PersonFacts => (person === null ? { id: proposed_by, known: false } : { id: person, known: true });
