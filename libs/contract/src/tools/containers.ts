// SPDX-License-Identifier: Apache-2.0
//
// Containers as registered resources: shells that keep their name. `shell.session` with `container` works in one, from
// every session of its token.
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { ResourceName, UNNAMED_RESOURCE } from '../resources/resource-kinds.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;

const inline = {
  version: 1,
  class: 'inline',
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  resources: () => [],
} as const;

/** What is known of a container when a call about it runs. */
export const ContainerState = Type.Object(
  {
    resource_id: idSchema('resource'),
    name: ResourceName,
    shell: Type.Union([Type.Literal('open'), Type.Literal('none')], {
      description: 'whether a shell of this token runs in it now',
    }),
    opened_at: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'since when, in milliseconds since the epoch',
    }),
  },
  closed,
);
export type ContainerState = Static<typeof ContainerState>;

/** The reference of a call that uses a container. */
export const ContainerRef = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'a registered container, by name or id',
});

/** The name of a container that is made without one: that of its operation, which is unique. */
export const containerNameOf = (args: Readonly<Record<string, unknown>>, operationId: string): string =>
  typeof args['name'] === 'string' ? args['name'] : `container-${operationId.slice(-10)}`;

export const CONTAINER_CREATE: ToolDefinition = {
  ...inline,
  tool_id: 'container.create',
  description:
    'Registers a container, which keeps one shell under its name. The agent that makes it owns it. Work in it with `shell.session` and `container`. Answers with its id and name.',
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: Type.Object({ name: Type.Optional(ResourceName) }, closed),
  result: Type.Object(
    { container: Type.Object({ resource_id: idSchema('resource'), name: ResourceName }, closed) },
    closed,
  ),
  targets: ({ name }) => [
    { kind: 'container', ref: typeof name === 'string' ? name : UNNAMED_RESOURCE, right: 'create', pointer: '/name' },
  ],
};

export const CONTAINER_ACCESS: ToolDefinition = {
  ...inline,
  tool_id: 'container.access',
  description: 'Tells whether a registered container may be used, and whether a shell of yours runs in it.',
  category: 'read',
  mutating: false,
  parameters: Type.Object({ container: ContainerRef }, closed),
  result: Type.Object({ container: ContainerState }, closed),
  needs: 'container',
  targets: ({ container }) => [
    { kind: 'container', ref: typeof container === 'string' ? container : '', right: 'use', pointer: '/container' },
  ],
};
