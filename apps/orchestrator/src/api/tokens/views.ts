// SPDX-License-Identifier: Apache-2.0
import { AgentView } from '@writ/contract';
import { Type } from 'typebox';
import { TokenView } from '../../calls/kernel/token-view.ts';
import { expandable } from '../../edge/expansions/expansions.ts';
import { listOf, orNull } from '../../edge/requests/fields.ts';

/** The first children of a token. */
export const ChildTokens = listOf(TokenView);

/** A token, with what its request expands. */
export const ExpandableToken = expandable(
  TokenView,
  { agent: Type.Optional(orNull(AgentView)), children: Type.Optional(orNull(ChildTokens)) },
  'null: it is not there for you; `children` is the first page of the children of one token',
);

export const TokenList = listOf(ExpandableToken);
