// SPDX-License-Identifier: Apache-2.0
import {
  bindTool,
  Fault,
  isDeclaredTool,
  isStoreTool,
  MK8_RUN,
  SHELL_DANGEROUS,
  targetsOf,
  TOOLS,
  type BoundResource,
  type FaultCode,
  type Permit,
  type Redemption,
  type SkillLine,
  type TenantTool,
  type ToolDefinition,
} from '@writ/contract';
import { listsResource } from '@writ/capability';
import { dangerousTool, profileNameOf } from '@writ/mk8-shell/dangerous';
import { mayListSkills, sandboxNameOf, toolWithin } from '@writ/mk8-shell/tool';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { boundTo, grantsSecret, type ArgumentsReader } from '../../judging/judgement/index.ts';
import { profileFor, profileUnknown } from '../../judging/definitions/execution-profiles.ts';
import { grantedDefinition } from '../../judging/definitions/granted-definitions.ts';
import { resourcesFor } from '../../judging/definitions/registered-resources.ts';
import { sandboxFor, sandboxUnknown } from '../../judging/definitions/script-sandboxes.ts';
import { readSkill, readSkillLines } from '../../judging/definitions/skills.ts';
import { definitionDigest, readDecidedTool } from '../../judging/definitions/tenant-tools.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import { callArguments } from '../effects/index.ts';
import { outcomeFault, unreportedOutcome, type OutcomeWriter } from '../outcomes/index.ts';
import { PersonTokens } from '../person-tokens/index.ts';
import { ensureStore } from '../stores/index.ts';
import { SessionValues } from '../values/index.ts';

/** A call whose permit was redeemed. */
export interface RedeemedCall {
  readonly redeemed: RedeemedRows;
  readonly facts: AttemptFacts;
  /** the arguments; null where they are a blob */
  readonly clear: Readonly<Record<string, unknown>> | null;
  readonly mode: Permit['mode'];
}

/**
 * Reads once more, when a call runs, the inputs of its decision: its tool, sandbox, execution profile, image,
 * registered resources, skill and values. If one of them has changed or is gone, the call ends. A preview ends no call.
 */
export class DecidedInputs {
  readonly #tenants: TenantPool;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #args: ArgumentsReader;
  readonly #values: SessionValues;
  readonly #persons: PersonTokens;

  constructor(tenants: TenantPool, vault: TenantVault, outcomeWriter: OutcomeWriter, args: ArgumentsReader) {
    this.#tenants = tenants;
    this.#outcomeWriter = outcomeWriter;
    this.#args = args;
    this.#values = new SessionValues(tenants, vault);
    this.#persons = new PersonTokens(tenants, vault);
  }

  /**
   * The tool that was decided on. INVARIANT (no other tool): a call whose tool was changed or removed since doesn't
   * run, neither as it was nor as it is by now. A preview, which commits nothing, shows the tool that was decided on.
   * @throws Fault `tool.changed`, `permit.invalid` for a preview
   */
  async tool(redeemed: RedeemedRows, mode: Permit['mode']): Promise<{ tool: ToolDefinition; own: TenantTool | null }> {
    const { operation } = redeemed;
    const builtIn = TOOLS.get(operation.tool_id);
    if (builtIn !== undefined) return { tool: builtIn, own: null };
    const decided = await readDecidedTool(this.#tenants, operation);
    if (decided !== null && (decided.inForce || mode === 'preview'))
      return { tool: decided.definition, own: decided.document };
    if (mode === 'preview') throw new Fault('permit.invalid');
    await this.#end(
      redeemed,
      'tool.changed',
      `the tool \`${operation.tool_id}\` was changed or removed since the call was decided`,
      'propose it anew',
    );
    throw new Fault('tool.changed');
  }

  /**
   * The sandbox that a script was decided in, verified once more. INVARIANT (no other sandbox): a call whose sandbox
   * was changed, signed anew or removed since, or whose registrar's key was revoked, doesn't run.
   * @throws Fault `tool.changed`, `sandbox.unknown`, `sandbox.unverified`; `permit.invalid` for a preview
   */
  async sandbox(call: RedeemedCall): Promise<NonNullable<Redemption['sandbox']> | null> {
    const { operation } = call.facts;
    if (operation.tool_id !== MK8_RUN.tool_id) return null;
    const name = sandboxNameOf(await this.argumentsOf(call));
    if (name === null) return null;
    try {
      if (!(await this.#isGranted(call))) throw sandboxUnknown(name);
      const { source, digest } = await sandboxFor(this.#tenants, operation.tenant_id, name);
      if (definitionDigest(toolWithin(digest)) !== operation.tool_definition_digest)
        throw new Fault(
          'tool.changed',
          `the sandbox \`${name}\` was changed or signed anew since the call was decided`,
        );
      const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
      return { definition: base64(source.definition), statement: base64(source.statement), keyid: source.keyid };
    } catch (error) {
      return await this.#endChanged(error, call, 'propose it anew once the sandbox is as it should be');
    }
  }

  /**
   * The execution profile that a raw command was decided under, read once more. INVARIANT (no other profile): a call
   * whose profile was removed or replaced since doesn't run.
   * @throws Fault `tool.changed`, `profile.unknown`; `permit.invalid` for a preview
   */
  async profile(call: RedeemedCall): Promise<{ tool: ToolDefinition; bytes: string } | null> {
    const { operation } = call.facts;
    if (operation.tool_id !== SHELL_DANGEROUS.tool_id) return null;
    const name = profileNameOf(await this.argumentsOf(call)) ?? '';
    try {
      if (!(await this.#isGranted(call))) throw profileUnknown(name);
      const { profile, bytes } = await profileFor(this.#tenants, operation.tenant_id, name);
      const tool = dangerousTool(profile);
      if (definitionDigest(tool) !== operation.tool_definition_digest)
        throw new Fault('tool.changed', `the execution profile \`${name}\` is another since the call was decided`);
      return { tool, bytes: Buffer.from(bytes).toString('base64') };
    } catch (error) {
      return await this.#endChanged(error, call, 'propose it anew once the execution profile is as it should be');
    }
  }

  /**
   * The tenant's image that a call was decided to run in, read once more; null where the deployment's images decide.
   * INVARIANT (no other image): a call whose image was removed, or is another by now, doesn't run.
   * @throws Fault `tool.changed`, `image.unknown`, `profile.unknown`; `permit.invalid` for a preview
   */
  async image(call: RedeemedCall, own: TenantTool | null): Promise<NonNullable<Redemption['image']> | null> {
    const { operation } = call.facts;
    const { tenant_id, tool_id: tool, image_digest } = operation;
    if (image_digest === null) return null;
    try {
      const name = (own === null || isDeclaredTool(own) ? undefined : own.image) ?? (await this.#imageOfProfile(call));
      const image = await kernelSql.imageFor(this.#tenants.pool, { tenant: tenant_id, tool, name });
      if (image?.image_digest === image_digest && image.definition !== null)
        return { definition: image.definition, image_digest };
      if (image?.state === null)
        throw new Fault('image.unknown', `the image \`${image.name}\` was removed since the call was decided`);
      const digest = { tenant: tenant_id, digest: image_digest };
      // Otherwise it is an image of the deployment, which an update may replace.
      if (image !== null || (await kernelSql.isRegisteredImage(this.#tenants.pool, digest)))
        throw new Fault('tool.changed', 'the call is to run in another image since it was decided');
      return null;
    } catch (error) {
      return await this.#endChanged(error, call, 'propose it anew once the image is as it should be');
    }
  }

  async #imageOfProfile(call: RedeemedCall): Promise<string | null> {
    const { operation } = call.facts;
    if (operation.tool_id !== SHELL_DANGEROUS.tool_id) return null;
    const name = profileNameOf(await this.argumentsOf(call)) ?? '';
    return (await profileFor(this.#tenants, operation.tenant_id, name)).profile.image ?? null;
  }

  /**
   * The registered resources that a call was decided on, read and checked once more; null where its tool names none.
   * INVARIANT (no other resource): a call whose resource was changed, removed, or is no longer granted doesn't run.
   * Makes the tables of an information store that is used for the first time.
   * @throws Fault `tool.changed`, `resource.unknown`, `store.mismatch`; `permit.invalid` for a preview
   */
  async resources(
    call: RedeemedCall,
    tool: ToolDefinition,
  ): Promise<{ tool: ToolDefinition; resources: readonly BoundResource[] } | null> {
    if (tool.targets === undefined) return null;
    const { operation, chain } = call.facts;
    const references = targetsOf(tool, await this.argumentsOf(call));
    try {
      const resources = boundTo(await resourcesFor(this.#tenants, operation, references));
      if (resources === null || !resources.every((resource) => listsResource(chain, resource)))
        throw new Fault('resource.unknown', 'a resource of the call was removed, or is no longer granted to the agent');
      const bound = bindTool(tool, resources);
      if (definitionDigest(bound) !== operation.tool_definition_digest)
        throw new Fault('tool.changed', 'a resource of the call was changed since the call was decided');
      if (isStoreTool(tool.tool_id))
        for (const store of resources) await ensureStore(this.#tenants, operation.tenant_id, store);
      return { tool: bound, resources };
    } catch (error) {
      return await this.#endChanged(error, call, 'propose it anew with a resource that is granted to the agent');
    }
  }

  /**
   * The skill that the arguments name. Its version is found now and not with the decision: a skill is read like a page,
   * and the call's result contains its digest.
   */
  async skill(call: RedeemedCall): Promise<NonNullable<Redemption['skill']>> {
    const { skill } = await this.argumentsOf(call);
    return await readSkill(this.#tenants, call.facts.operation, String(skill));
  }

  /**
   * The tenant's skills, for a script that may list them; null for any other call. They are found now and not with the
   * decision: compiling a script doesn't depend on them.
   */
  async skills(call: RedeemedCall, sandbox: NonNullable<Redemption['sandbox']> | null): Promise<SkillLine[] | null> {
    const { operation } = call.facts;
    if (operation.tool_id !== MK8_RUN.tool_id) return null;
    const { script } = await this.argumentsOf(call);
    const definition = sandbox === null ? '' : Buffer.from(sandbox.definition, 'base64').toString('utf8');
    if (!mayListSkills(script) && !mayListSkills(definition)) return null;
    const lines = await readSkillLines(this.#tenants, operation);
    return lines.length === 0 ? null : lines;
  }

  /**
   * INVARIANT (to one alone): values are unwrapped for the reply to a redemption, and for nothing else. A call whose
   * value is gone meanwhile is ended here.
   * @throws Fault `value.missing`, `secret.unknown`, `mcp.consent_required`, `mcp.token_unavailable`; `overloaded`
   * where an access token is being renewed: then the call isn't ended
   */
  async values(
    call: RedeemedCall,
    tool: ToolDefinition,
    resources: readonly BoundResource[],
  ): Promise<Redemption['secrets']> {
    const { facts, clear, mode } = call;
    // Only where the tool accepts secrets: long arguments are then read twice.
    const args = clear ?? (tool.accepts_secrets.length > 0 ? await this.argumentsOf(call) : {});
    try {
      const named = await this.#values.forCall(facts.operation, tool, args, {
        mode,
        grants: (name) =>
          grantsSecret(
            facts.chain.map((token) => ({ token })),
            name,
          ),
      });
      return mode === 'preview'
        ? named
        : {
            ...named,
            ...(await this.#values.forResources(facts.operation, resources, tool)),
            ...(await this.#persons.forCall(facts.operation, resources)),
          };
    } catch (error) {
      const hint = error instanceof Fault ? VALUE_HINTS.get(error.code) : undefined;
      if (!(error instanceof Fault) || hint === undefined) throw error;
      await this.#end(call.redeemed, error.code, error.message, hint);
      throw error;
    }
  }

  /** Whether the agent is granted the sandbox or the profile that the call names, now. */
  async #isGranted(call: RedeemedCall): Promise<boolean> {
    const granted = await grantedDefinition(this.#tenants, call.facts.operation, await this.argumentsOf(call));
    return granted !== null && granted.clearance !== null;
  }

  /** The arguments of the call, wherever they are stored. */
  async argumentsOf({ facts, clear }: RedeemedCall): Promise<Readonly<Record<string, unknown>>> {
    return clear ?? (await callArguments(this.#args, facts));
  }

  /**
   * Ends a call whose sandbox or profile is no longer what it was decided on. A preview ends no call. Always throws.
   */
  async #endChanged(error: unknown, { redeemed, mode }: RedeemedCall, hint: string): Promise<never> {
    if (!(error instanceof Fault) || !CHANGED_FAULTS.has(error.code)) throw error;
    if (mode === 'preview') throw new Fault('permit.invalid');
    await this.#end(redeemed, error.code, error.message, hint);
    throw error;
  }

  async #end(redeemed: RedeemedRows, code: FaultCode, message: string, hint: string): Promise<void> {
    await this.#outcomeWriter.end(redeemed, unreportedOutcome(redeemed.operation, outcomeFault(code, message, hint)));
  }
}

/** Faults of a value that is gone meanwhile, with what helps. */
const VALUE_HINTS: ReadonlyMap<string, string> = new Map([
  ['value.missing', 'have it set, or ask for it anew'],
  ['secret.unknown', 'have it set, or ask for it anew'],
  ['mcp.consent_required', 'the person connects anew with `writ mcp-server connect NAME`, and proposes the call anew'],
  ['mcp.token_unavailable', 'propose it anew later, or connect anew with `writ mcp-server connect NAME`'],
] satisfies [FaultCode, string][]);

/** Faults of a sandbox or a profile that changed since a call was decided in it. */
const CHANGED_FAULTS: ReadonlySet<string> = new Set([
  'tool.changed',
  'sandbox.unknown',
  'sandbox.unverified',
  'profile.unknown',
  'image.unknown',
  'resource.unknown',
  'store.mismatch',
] satisfies FaultCode[]);
