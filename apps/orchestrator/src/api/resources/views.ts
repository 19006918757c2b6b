// SPDX-License-Identifier: Apache-2.0
import { REGISTERED_KINDS, RESOURCE_SETTINGS, ResourceGrantView, ResourceName, ResourceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, listOf } from '../../edge/requests/fields.ts';

export const ResourceList = listOf(ResourceView);
export const ResourceGrantList = listOf(ResourceGrantView);

/** A new resource, by its kind. */
export const NewResource = Type.Union(
  REGISTERED_KINDS.map((kind) =>
    Type.Object({ kind: Type.Literal(kind), name: ResourceName, settings: RESOURCE_SETTINGS[kind] }, closed),
  ),
);

/** The settings of a resource, which depend on its kind. */
export const AnySettings = Type.Union(REGISTERED_KINDS.map((kind) => RESOURCE_SETTINGS[kind]));
