// SPDX-License-Identifier: Apache-2.0
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** As kernel.sandbox_for returns it: bytes in base64. */
export interface SandboxRow {
  readonly definition: string;
  readonly statement: string | null;
  readonly keyid: string | null;
  readonly sig: string | null;
  readonly public_key: string | null;
  readonly revoked: boolean;
}

/** A version of a skill, its contents in base64. */
export interface StoredSkill {
  readonly digest: string;
  readonly contents: string;
}

/** A skill, and the names of all that the tenant has. */
export interface SkillFound {
  readonly found: StoredSkill | null;
  readonly names: readonly string[];
}

/** A tenant's tool as it is stored. */
export interface StoredTool {
  readonly document: unknown;
  readonly definition_digest: string;
}

/** A tenant's tool as it is stored, and whether it is still in force. */
export type StoredDecision = StoredTool & { readonly in_force: boolean };

/** The functions of `sql/functions/tools` that the kernel calls. */
export const toolsFunctions = {
  profileFor: kernelFunction<string | null>()(
    'kernel.profile_for',
    { tenant: sqlTypes.text, name: sqlTypes.text },
    { returns: 'value' },
  ),
  putTool: kernelFunction()(
    'kernel.put_tool',
    { tenant: sqlTypes.text, p: sqlTypes.jsonb<object>() },
    { returns: 'nothing' },
  ),
  sandboxFor: kernelFunction<SandboxRow | null>()(
    'kernel.sandbox_for',
    { tenant: sqlTypes.text, name: sqlTypes.text },
    { returns: 'value' },
  ),
  skillFor: kernelFunction<SkillFound>()(
    'kernel.skill_for',
    { tenant: sqlTypes.text, name: sqlTypes.text },
    { returns: 'value' },
  ),
  skillVersionsOf: kernelFunction<readonly StoredSkill[]>()(
    'kernel.skill_versions_of',
    { tenant: sqlTypes.text },
    { returns: 'value' },
  ),
  toolDecided: kernelFunction<StoredDecision | null>()(
    'kernel.tool_decided',
    { tenant: sqlTypes.text, digest: sqlTypes.text },
    { returns: 'value' },
  ),
  toolInForce: kernelFunction<StoredTool | null>()(
    'kernel.tool_in_force',
    { tenant: sqlTypes.text, tool: sqlTypes.text },
    { returns: 'value' },
  ),
} as const;
