// SPDX-License-Identifier: Apache-2.0
import type { AudioDeviceSettings, Clearance, ResourceKind, ResourceReference } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** What a call names: a resource by its id or name, the name of one that it makes, or every one of a kind. */
export type NamedResource = Pick<ResourceReference, 'kind' | 'ref' | 'right' | 'every'>;

/** Of a resource that the agent is granted. */
interface FoundResource {
  readonly ord: number;
  readonly kind: ResourceKind;
  readonly resource_id: string;
  readonly name: string;
  readonly owner_agent_id: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly digest: string;
  readonly clearance: Clearance;
  readonly exists: null;
}

/** Of a resource that the agent may make. */
interface NewResource extends Record<'resource_id' | 'owner_agent_id' | 'settings' | 'digest', null> {
  readonly ord: number;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly clearance: Clearance;
  /** whether a resource of the kind has the name already */
  readonly exists: boolean;
}

/** Every resource of a kind, which the agent may use. */
interface WholeKind extends Record<'resource_id' | 'name' | 'owner_agent_id' | 'settings' | 'digest' | 'exists', null> {
  readonly ord: number;
  readonly kind: ResourceKind;
  readonly clearance: Clearance;
}

/** There is no such resource, or the agent isn't granted it. */
interface NoResource extends Record<Exclude<keyof FoundResource, 'ord'>, null> {
  readonly ord: number;
}

/** As kernel.resources_for returns it. `clearance` is null for `NoResource` alone; `ord` counts from 1. */
export type ResourceForCall = FoundResource | NewResource | WholeKind | NoResource;

/** A resource that a call made for its agent. */
export interface RegisteredResource {
  readonly resource_id: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly owner_agent_id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly digest: string;
  /** the agent */
  readonly created_by: string;
}

/** An audio device that isn't changed until the transaction ends. */
export interface LockedAudioDevice {
  readonly name: string;
  readonly settings: AudioDeviceSettings;
  readonly digest: string;
}

/** The functions of `sql/functions/resources` that the kernel calls. */
export const resourcesFunctions = {
  lockAudioDevice: kernelFunction<LockedAudioDevice | null>()(
    'kernel.lock_audio_device',
    { tenant: sqlTypes.text, resource: sqlTypes.text },
    { returns: 'value' },
  ),
  registerResource: kernelFunction()(
    'kernel.register_resource',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<RegisteredResource>(), max: sqlTypes.integer },
    { returns: 'nothing', errors: ['resource_exists', 'program_limit_exceeded'] },
  ),
  resourcesFor: kernelFunction<ResourceForCall>()(
    'kernel.resources_for',
    { tenant: sqlTypes.text, agent: sqlTypes.text, refs: sqlTypes.jsonb<readonly NamedResource[]>() },
    { returns: 'rows' },
  ),
} as const;
