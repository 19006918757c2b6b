// SPDX-License-Identifier: Apache-2.0
import { ProfileView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ProfileList = listOf(ProfileView);
