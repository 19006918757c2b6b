// SPDX-License-Identifier: Apache-2.0
export { mcpArgumentFaults, mcpDefinition, mcpResultFaults, outletsOf } from './definition.ts';
export { localNames, mcpToolId, unlistedName } from './names.ts';
export {
  acceptedTool,
  defaultCategory,
  parametersOf,
  remoteBytes,
  remoteDigest,
  remoteProblems,
  remoteToolOf,
  stricterCategory,
  suggestedCategory,
} from './remote-tool.ts';
export { isServerRequest, serverRequestDigest, serverRequests, type McpServerRequest } from './server-requests.ts';
