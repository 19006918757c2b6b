// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The functions of `sql/functions/approver-groups` that the kernel calls. */
export const approverGroupsFunctions = {
  approverGroupsOf: kernelFunction<string[]>()(
    'kernel.approver_groups_of',
    { tenant: sqlTypes.text, principals: sqlTypes.textArray },
    { returns: 'value' },
  ),
  areOffboarded: kernelFunction<boolean>()(
    'kernel.are_offboarded',
    { tenant: sqlTypes.text, principals: sqlTypes.textArray },
    { returns: 'value' },
  ),
  areSuspended: kernelFunction<boolean>()(
    'kernel.are_suspended',
    { tenant: sqlTypes.text, principals: sqlTypes.textArray },
    { returns: 'value' },
  ),
  unknownGroups: kernelFunction<string[]>()(
    'kernel.unknown_groups',
    { tenant: sqlTypes.text, names: sqlTypes.textArray },
    { returns: 'value' },
  ),
} as const;
