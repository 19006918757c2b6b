// SPDX-License-Identifier: Apache-2.0
import { definitionForDigest, FIXED_TOOLS, type Permit, type Redemption, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';

/** Hex SHA-256 of the definition's meaning. */
export const digestOf = (tool: ToolDefinition): string => sha256Hex(canonicalBytes(definitionForDigest(tool)));

const fixedDigests = new Map(FIXED_TOOLS.map((tool) => [tool.tool_id, digestOf(tool)]));

/**
 * Whether the call is bound to an image or a definition of its tool that only another version of the deployment has. No
 * executor of this version can run it then, and the kernel decides it again. Nobody decides previews again: they end.
 *
 * @param images digests of the images of this executor
 */
export const isOfOtherVersion = (permit: Permit, redemption: Redemption, images: ReadonlySet<string>): boolean =>
  isReplaced(permit, redemption, images) || (permit.mode === 'run' && isRedefined(permit, redemption));

/** Whether the call's image is neither a tenant's nor one of this executor. */
const isReplaced = ({ image_digest }: Permit, { image }: Redemption, images: ReadonlySet<string>): boolean =>
  image === undefined && image_digest !== null && !images.has(image_digest);

/** A redemption of another tool than the permit's is none at all, and is refused elsewhere. */
const isRedefined = (permit: Permit, { tool_id, tool_definition_digest }: Redemption): boolean =>
  tool_id === permit.tool_id && (fixedDigests.get(tool_id) ?? tool_definition_digest) !== tool_definition_digest;
