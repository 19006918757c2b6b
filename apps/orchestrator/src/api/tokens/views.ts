// SPDX-License-Identifier: Apache-2.0
import { TokenView } from '../../calls/token-view.ts';
import { listOf } from '../../edge/fields.ts';

export const TokenList = listOf(TokenView);
