// SPDX-License-Identifier: Apache-2.0
import { CapabilityToken, TokenUse } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

/** A token as callers see it: the immutable grant, its position in the chain, and what is used of its budgets. */
export const TokenView = Type.Object({ ...CapabilityToken.properties, ...TokenUse.properties }, closed);
export type TokenView = Static<typeof TokenView>;
