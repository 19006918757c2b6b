// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  MK8_RUN,
  SHELL_DANGEROUS,
  TOOLS,
  type FaultCode,
  type Permit,
  type Redemption,
  type TenantTool,
  type ToolDefinition,
} from '@writ/contract';
import { dangerousTool, profileNamed } from '@writ/mk8-shell/dangerous';
import { sandboxNamed, toolWithin } from '@writ/mk8-shell/tool';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { profileFor } from '../../judging/tools/execution-profiles.ts';
import { sandboxFor } from '../../judging/tools/script-sandboxes.ts';
import { skillAtHand } from '../../judging/tools/skills.ts';
import { definitionDigest, readDecidedTool } from '../../judging/tools/tenant-tools.ts';
import type { AttemptFacts } from '../attempts/index.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import { callArguments } from '../effects/index.ts';
import { endingFault, unreportedEnding, type OutcomeWriter } from '../outcomes/index.ts';
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
 * Reads once more, when a call runs, what it was decided on: its tool, sandbox, execution profile, skill and values.
 * Where one of them has changed or is gone, the call ends. A preview ends no call.
 */
export class DecidedInputs {
  readonly #tenants: TenantPool;
  readonly #endings: OutcomeWriter;
  readonly #args: ArgumentsReader;
  readonly #values: SessionValues;

  constructor(tenants: TenantPool, vault: TenantVault, endings: OutcomeWriter, args: ArgumentsReader) {
    this.#tenants = tenants;
    this.#endings = endings;
    this.#args = args;
    this.#values = new SessionValues(tenants, vault);
  }

  /**
   * The tool that was decided on. INVARIANT (no other tool): a call whose tool was changed or removed since runs
   * neither as it was nor as it is by now; a preview, which commits nothing, shows what was asked for.
   * @throws Fault `tool.changed`, `permit.invalid` for a preview
   */
  async tool(redeemed: RedeemedRows, mode: Permit['mode']): Promise<{ tool: ToolDefinition; own: TenantTool | null }> {
    const { operation } = redeemed;
    const writs = TOOLS.get(operation.tool_id);
    if (writs !== undefined) return { tool: writs, own: null };
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
  async sandbox(call: RedeemedCall): Promise<Redemption['sandbox'] | null> {
    const { operation } = call.facts;
    if (operation.tool_id !== MK8_RUN.tool_id) return null;
    const name = sandboxNamed(await this.#argumentsOf(call));
    if (name === null) return null;
    try {
      const { source, digest } = await sandboxFor(this.#tenants, operation.tenant_id, name);
      if (definitionDigest(toolWithin(digest)) !== operation.tool_definition_digest)
        throw new Fault(
          'tool.changed',
          `the sandbox \`${name}\` was changed or signed anew since the call was decided`,
        );
      const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
      return { definition: base64(source.definition), statement: base64(source.statement), keyid: source.keyid };
    } catch (error) {
      return await this.#gone(error, call, 'propose it anew once the sandbox is as it should be');
    }
  }

  /**
   * The execution profile that a raw command was decided under, read once more. INVARIANT (no other profile): a call
   * whose profile was removed or is another since doesn't run.
   * @throws Fault `tool.changed`, `profile.unknown`; `permit.invalid` for a preview
   */
  async profile(call: RedeemedCall): Promise<{ tool: ToolDefinition; bytes: string } | null> {
    const { operation } = call.facts;
    if (operation.tool_id !== SHELL_DANGEROUS.tool_id) return null;
    const name = profileNamed(await this.#argumentsOf(call)) ?? '';
    try {
      const { profile, bytes } = await profileFor(this.#tenants, operation.tenant_id, name);
      const tool = dangerousTool(profile);
      if (definitionDigest(tool) !== operation.tool_definition_digest)
        throw new Fault('tool.changed', `the execution profile \`${name}\` is another since the call was decided`);
      return { tool, bytes: Buffer.from(bytes).toString('base64') };
    } catch (error) {
      return await this.#gone(error, call, 'propose it anew once the execution profile is as it should be');
    }
  }

  /**
   * The skill that the arguments name. Its version is found now and not with the decision: a skill is read as a page
   * is, and the call answers with its digest.
   */
  async skill(call: RedeemedCall): Promise<NonNullable<Redemption['skill']>> {
    const { skill } = await this.#argumentsOf(call);
    return await skillAtHand(this.#tenants, call.facts.operation.tenant_id, String(skill));
  }

  /**
   * INVARIANT (to one alone): values are unwrapped for the answer to a redemption, and for nothing else. Whose value
   * has gone meanwhile is ended here.
   * @throws Fault `value.missing`, `secret.unknown`
   */
  async values(call: RedeemedCall, tool: ToolDefinition): Promise<Redemption['secrets']> {
    const { facts, clear, mode } = call;
    // Only where the tool takes any: long arguments are read twice then.
    const args = clear ?? (tool.accepts_secrets.length > 0 ? await this.#argumentsOf(call) : {});
    try {
      return await this.#values.forCall(facts.operation, tool, args, mode);
    } catch (error) {
      if (!(error instanceof Fault) || (error.code !== 'value.missing' && error.code !== 'secret.unknown')) throw error;
      await this.#end(call.redeemed, error.code, error.message, 'have it set, or ask for it anew');
      throw error;
    }
  }

  async #argumentsOf({ facts, clear }: RedeemedCall): Promise<Readonly<Record<string, unknown>>> {
    return clear ?? (await callArguments(this.#args, facts));
  }

  /**
   * Ends a call whose sandbox or profile is no longer what it was decided on. A preview ends no call. Always throws.
   */
  async #gone(error: unknown, { redeemed, mode }: RedeemedCall, hint: string): Promise<never> {
    if (!(error instanceof Fault) || !GONE.has(error.code)) throw error;
    if (mode === 'preview') throw new Fault('permit.invalid');
    await this.#end(redeemed, error.code, error.message, hint);
    throw error;
  }

  async #end(redeemed: RedeemedRows, code: FaultCode, message: string, hint: string): Promise<void> {
    await this.#endings.end(redeemed, unreportedEnding(redeemed.operation, endingFault(code, message, hint)));
  }
}

/** What became of a sandbox or a profile since a call was decided in it. */
const GONE: ReadonlySet<string> = new Set([
  'tool.changed',
  'sandbox.unknown',
  'sandbox.unverified',
  'profile.unknown',
] satisfies FaultCode[]);
