// SPDX-License-Identifier: Apache-2.0
import { TokenView } from '../../calls/kernel/token-view.ts';
import { listOf } from '../../edge/requests/fields.ts';

export const TokenList = listOf(TokenView);
