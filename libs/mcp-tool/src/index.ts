// SPDX-License-Identifier: Apache-2.0
export { acceptedTool, type ServerOfTool } from './accepted-tool.ts';
export { mcpArgumentFaults, mcpDefinition, mcpResultFaults, outletsOf } from './definition.ts';
export { localNames, mcpToolId, requestName, unlistedName } from './names.ts';
export {
  defaultCategory,
  parametersOf,
  remoteBytes,
  remoteDigest,
  remoteProblems,
  remoteToolOf,
  stricterCategory,
  suggestedCategory,
} from './remote-tool.ts';
export { inputOf, mcpFaults, offeredDefinition } from './server-questions.ts';
export { hiddenCharacter, textsIn } from './shown-text.ts';
export {
  isServerRequest,
  mayAsk,
  RESERVED_NAME,
  serverRequestDigest,
  serverRequests,
  type McpServerRequest,
} from './server-requests.ts';
