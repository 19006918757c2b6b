// SPDX-License-Identifier: Apache-2.0
export { Model, type Message, type ModelCall, type ModelTurn, type ToolOffer } from './model.ts';
export { LIMIT_TEXT, runAgent, type AgentEvent, type AgentOutcome, type AgentRun, type ToolAnswer } from './run-agent.ts';
export { TranscriptModel, type Transcript } from './transcript.ts';
