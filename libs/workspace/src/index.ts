// SPDX-License-Identifier: Apache-2.0
export { applyDelta, type Applied } from './apply-delta.ts';
export { compareUtf8 } from './compare-utf8.ts';
export { ConflictError } from './conflict-error.ts';
export { deltaId, deltaOf, parseDelta, pathsOf, reverseDelta } from './delta.ts';
export { diff } from './diff.ts';
export {
  encodeNode, isSameState, loadNode, parseNode, stateOf, withBlobs, type NewBlob, type NodeEntry, type NodeReader,
} from './node.ts';
export { LINK_TARGET_BYTES_MAX, linkTargetFault } from './link-target.ts';
export { ancestorsOf, isName, isWithin, isWorkspacePath, joinPath, parsePath, pathOf, ROOT, segmentsOf, type WorkspacePath } from './path.ts';
export { quote } from './quote.ts';
export { rebase, type Rebased } from './rebase.ts';
export { growthOf, mostGrown, sizeOf, type TreeSize } from './size.ts';
export { resolveLinks, type Resolved } from './resolve-links.ts';
export { emptyTree, parseSnapshotId, snapshotIdOf } from './snapshot.ts';
export { decodeText } from './text.ts';
export { list, lookup, walk, type Found, type WalkOptions } from './tree.ts';
export { editedText, type EditArgs } from './fs-tools/edit.ts';
export { isFileTool, runFileTool } from './fs-tools/run.ts';
export { FILE_TOOL_FAULTS, ToolFault, type FileToolContext, type FileToolOutcome, type FileToolSuccess, type ToolFailure } from './fs-tools/outcome.ts';
