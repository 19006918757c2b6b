// SPDX-License-Identifier: Apache-2.0
import { SystemReport } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

export const Health = Type.Object({ status: Type.Literal('ok') }, closed);

export const ReadyView = Type.Object(
  { ready: Type.Boolean(), checks: Type.Record(Type.String(), Type.String()) },
  closed,
);

const { version, now, pools, ...shared } = SystemReport.properties;
export const SystemView = Type.Object(
  {
    orchestrator: Type.Object(
      {
        version: Type.String({ description: 'of the replica of the orchestrator that answered' }),
        now: Type.Integer({ minimum: 0, description: "of that replica's clock, in milliseconds since the epoch" }),
      },
      closed,
    ),
    kernel: Type.Object({ version, now, pools }, closed),
    ...shared,
  },
  closed,
);
export type SystemView = Static<typeof SystemView>;
