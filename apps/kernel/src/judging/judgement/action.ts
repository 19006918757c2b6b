// SPDX-License-Identifier: Apache-2.0
import { imageForCall, runsInContainer, TOOLS, type SandboxImages, type ToolDefinition } from '@writ/contract';
import { actionDigest, type Action } from '@writ/digest';
import { definitionDigest } from '../definitions/tenant-tools.ts';
import type { Judgement } from './judgement.ts';

/** The images that calls run in. */
export interface Images {
  /** `sha256:…` of the sandbox image */
  readonly sandbox: string;
  /** of the tenants and tools that have other images */
  readonly others: SandboxImages;
}

/** The digests of the deployment's own images. */
export const ownImages = ({ sandbox, others }: Images): readonly string[] => [
  sandbox,
  ...others.images.map(({ digest }) => digest),
];

const digests = new WeakMap([...TOOLS.values()].map((tool) => [tool, definitionDigest(tool)]));

/** Hex SHA-256 of the definition's meaning. */
export function toolDigestOf(tool: ToolDefinition): string {
  let digest = digests.get(tool);
  if (digest === undefined) digests.set(tool, (digest = definitionDigest(tool)));
  return digest;
}

/** The action that a judgement is about. */
export function actionOf(
  call: { tenant_id: string; tool_id: string; capability_token_id: string },
  judgement: Judgement,
  argsHash: string | null,
  images: Images,
): Action {
  return {
    tool_id: call.tool_id,
    tool_definition_digest: judgement.tool === null ? null : toolDigestOf(judgement.tool),
    args_hash: argsHash,
    capability_token_id: call.capability_token_id,
    policy_hash: judgement.policy_hash,
    state_snapshot_id: judgement.head,
    image_digest:
      judgement.tool !== null && runsInContainer(judgement.tool)
        ? (judgement.image ?? imageForCall(images.others, call) ?? images.sandbox)
        : null,
  };
}

/**
 * What a person approves: the action digest with the snapshot left out. The workspace moves while a call waits, and the
 * call then runs on the head of that moment; tool, arguments, token, policy and image are bound.
 */
export function approvedDigest(action: Action): string {
  return actionDigest({ ...action, state_snapshot_id: null });
}

/** The action of a call that was decided. */
export function actionOfRow({
  tool_id,
  tool_definition_digest,
  args_hash,
  capability_token_id,
  policy_hash,
  image_digest,
  state_snapshot_id,
}: Action): Action {
  return {
    tool_id,
    tool_definition_digest,
    args_hash,
    capability_token_id,
    policy_hash,
    image_digest,
    state_snapshot_id,
  };
}
