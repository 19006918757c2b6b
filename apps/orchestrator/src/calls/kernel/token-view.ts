// SPDX-License-Identifier: Apache-2.0
import { CapabilityToken, TokenUse } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

/** A token as callers see it: the immutable grant, where it stands in its chain, and what is gone of its budgets. */
export const TokenView = Type.Object({ ...CapabilityToken.properties, ...TokenUse.properties }, closed);
export type TokenView = Static<typeof TokenView>;
