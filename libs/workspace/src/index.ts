// SPDX-License-Identifier: Apache-2.0
export { applyDelta, byName, type Applied } from './apply-delta.ts';
export { compareUtf8 } from './compare-utf8.ts';
export { ConflictError } from './conflict-error.ts';
export {
  deltaId,
  deltaOf,
  encodingDelta,
  orderingDelta,
  parseDelta,
  pathsOf,
  reverseDelta,
  type EncodedDelta,
} from './delta.ts';
export { diff } from './diff.ts';
export {
  encodeNode,
  isSameState,
  loadNode,
  parseNode,
  stateOf,
  withBlobs,
  withPauses,
  type NewBlob,
  type NodeReader,
} from './node.ts';
export type { NodeEntry } from './node-entry.ts';
export { LINK_TARGET_BYTES_MAX, linkTargetFault } from './link-target.ts';
export {
  ancestorsOf,
  isName,
  isWithin,
  isWorkspacePath,
  joinPath,
  parsePath,
  pathOf,
  ROOT,
  segmentsOf,
  type WorkspacePath,
} from './path.ts';
export { quote } from './quote.ts';
export { rebase, type Rebased } from './rebase.ts';
export { growthOf, mostGrown, sizeOf, type TreeSize } from './size.ts';
export { resolveLinks, type Resolved } from './resolve-links.ts';
export { PART, partsOf, runAtOnce, runWithPauses, type Pause, type Steps } from './steps.ts';
export { emptyTree, parseSnapshotId, snapshotIdOf } from './snapshot.ts';
export { decodeText } from './text.ts';
export { list, lookup, walk, type FoundEntry, type WalkOptions } from './tree.ts';
export { editedText, type EditArgs, type EditedText, type EditWork } from './fs-tools/edit-text.ts';
export {
  runFileWorkInline,
  isBriefFileWork,
  type FileWorkDone,
  type FileWorker,
  type FileWorkFault,
  type FileWorkInput,
  type FileWorkKind,
  type FileWorkOutput,
  type FileWorkTable,
} from './fs-tools/file-work.ts';
export type { ReadText, ReadWork } from './fs-tools/read-text.ts';
export { isFileTool, runFileTool } from './fs-tools/run.ts';
export type { SearchedText, SearchWork } from './fs-tools/search-text.ts';
export {
  FILE_TOOL_FAULTS,
  type FileToolContext,
  type FileToolOutcome,
  type FileToolSuccess,
  type ToolFailure,
} from './fs-tools/outcome.ts';
export { ToolFault } from './fs-tools/tool-fault.ts';
