// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

export const Health = Type.Object({ status: Type.Literal('ok') }, closed);

export const ReadyView = Type.Object(
  { ready: Type.Boolean(), checks: Type.Record(Type.String(), Type.String()) },
  closed,
);
