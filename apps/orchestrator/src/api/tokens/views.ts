// SPDX-License-Identifier: Apache-2.0
import { AgentView } from '@writ/contract';
import { Type } from 'typebox';
import { TokenView } from '../../calls/kernel/token-view.ts';
import { closed, listOf, orNull } from '../../edge/requests/fields.ts';

/** The first children of a token. */
export const ChildTokens = listOf(TokenView);

/** A token, with what its request expands. */
export const ExpandableToken = Type.Object(
  {
    ...TokenView.properties,
    expanded: Type.Optional(
      Type.Object(
        { agent: Type.Optional(orNull(AgentView)), children: Type.Optional(orNull(ChildTokens)) },
        {
          ...closed,
          description:
            'what `expand` names; null: it is not there for you; `children` is the first page of the children of one token',
        },
      ),
    ),
  },
  closed,
);

export const TokenList = listOf(ExpandableToken);
