// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Envelope } from '../permit.ts';
import { RenewRequest } from './execution.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const ShellId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'made by the executor that opens the shell' });

/**
 * Why the shell of a session has ended. `lost`: its executor is gone, or the container ended by itself; `diverged`: its
 * changes were not committed; `killed`: a person ended it.
 */
export const ShellEnding = Type.Union([
  Type.Literal('lost'),
  Type.Literal('diverged'),
  Type.Literal('idle'),
  Type.Literal('closed'),
  Type.Literal('killed'),
]);
export type ShellEnding = Static<typeof ShellEnding>;

/**
 * executor → kernel: `kernel.shell.attach`, before a shell is used. The session is that of the attempt's call. `opens`:
 * the executor opens a shell if there is none, under `shell_id`.
 */
export const ShellAttachRequest = Type.Object(
  { ...RenewRequest.properties, opens: Type.Boolean(), shell_id: ShellId },
  closed,
);
export type ShellAttachRequest = Static<typeof ShellAttachRequest>;

/**
 * - `opened`: there was no shell, and the requesting executor opens one.
 * - `yours`: the requesting executor has the shell, under `shell_id`.
 * - `elsewhere`: another executor has it.
 * - `ended`: the shell has ended and the reason was not reported yet, or there is none and the call opens none.
 * Only `lost` and `killed` are reported before a command may open another. `is_behind`: another call of the session has
 * committed since this call was decided; no shell is opened for it. Absent from an older peer.
 */
export const ShellAttachReply = Type.Object(
  {
    v: Type.Literal(1),
    verdict: Type.Union([
      Type.Literal('opened'),
      Type.Literal('yours'),
      Type.Literal('elsewhere'),
      Type.Literal('ended'),
    ]),
    shell_id: orNull(ShellId),
    ending: orNull(ShellEnding),
    is_behind: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ShellAttachReply = Static<typeof ShellAttachReply>;

/** executor → kernel: `kernel.shell.renew`, several times in a lease, for each shell. */
export const ShellRenewRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), executor_id: idSchema('executor'), shell_id: ShellId },
  closed,
);
export type ShellRenewRequest = Static<typeof ShellRenewRequest>;
/** If it isn't alive the executor MUST kill it: the lease has expired, or its token is no longer valid. */
export const ShellRenewReply = Type.Object({ v: Type.Literal(1), alive: Type.Boolean() }, closed);
export type ShellRenewReply = Static<typeof ShellRenewReply>;

/** executor → kernel: `kernel.shell.end` → ShellRenewReply. */
export const ShellEndRequest = Type.Object({ ...ShellRenewRequest.properties, ending: ShellEnding }, closed);
export type ShellEndRequest = Static<typeof ShellEndRequest>;

/**
 * kernel → one executor, event `session`: a permit for a call whose session's shell it has. A lost event delays the
 * call by the permit's lifetime.
 */
export const SessionPermit = Type.Object({ v: Type.Literal(1), permit: Envelope }, closed);
export type SessionPermit = Static<typeof SessionPermit>;
