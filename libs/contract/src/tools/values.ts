// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const NAME = '[A-Z][A-Z0-9_]{0,63}';
/** The name of a value, as in tokens and in `${secret:NAME}`. */
export const VALUE_NAME = `^${NAME}$`;
export const ValueName = Type.String({ pattern: VALUE_NAME });

/** The scope of a value that a person gives: one use, the session, or until it is removed from the tenant's secrets. */
export const VALUE_SCOPES = ['once', 'session', 'stored'] as const;
export type ValueScope = (typeof VALUE_SCOPES)[number];

/** The reference by which another call uses a secret. */
export const secretReference = (name: string): string => `\${secret:${name}}`;

export const VALUE_GET: ToolDefinition = {
  tool_id: 'value.get',
  version: 2,
  description:
    'Asks a person for a value. A secret is answered with a reference, `${secret:NAME}`, which stands for it in later calls; what is no secret with the value itself.',
  category: 'read',
  class: 'inline',
  mutating: false,
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  parameters: Type.Object(
    {
      key: { ...ValueName, description: 'what it is called, such as `NPM_TOKEN`' },
      reason: Type.String({ minLength: 1, maxLength: 1000, description: 'why it is needed: the person reads it' }),
      note: Type.Optional(
        Type.String({ maxLength: 1000, description: 'what to remember it by, should the person store it' }),
      ),
      secret: Type.Optional(Type.Boolean({ description: 'whether the value must not be seen; true by default' })),
      ask: Type.Optional(
        Type.Boolean({ description: 'whether a person may be asked for a value that is not there; true by default' }),
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object(
    {
      key: Type.String(),
      value: Type.Union([Type.String(), Type.Null()], { description: 'null for a secret' }),
      reference: Type.Union([Type.String(), Type.Null()], { description: 'null for what is no secret' }),
    },
    { additionalProperties: false },
  ),
  resources: () => [],
};
