// SPDX-License-Identifier: Apache-2.0
export { contextTokens, endedByLimit, messagesOf } from './conversation.ts';
export {
  Model,
  ModelCall,
  ModelTurn,
  ModelUsage,
  ToolOutcome,
  type Conversation,
  type Message,
  type ModelDelta,
  type ToolOffer,
} from './model.ts';
export { faultOfStatus, MODEL_FAULTS, ModelError, readRetryAfter, type ModelFault } from './model-error.ts';
export { nextStep, type Step, type StepOptions, type Stopped } from './next-step.ts';
export { readyOf, type CallStatus as CallStanding } from './ready-calls.ts';
export { RETRY_RULES, retryDelayMs, type RetryRules } from './retry.ts';
export { runAgent, type AgentNote, type AgentOutcome, type AgentRun, type CallPosition } from './run-agent.ts';
export { HeldCall, RunEvent, ToolAnswer } from './run-event.ts';
export { COMPACT_PROMPT, LIMIT_TEXT, rulesOf, RUN_RULES, type Prices, type RunRules } from './run-rules.ts';
export { applyEvent, foldRun, newRun, type CallState, type RoundState, type RunState } from './run-state.ts';
export { costOf, isSpent } from './spending.ts';
export { TextModel } from './text-model.ts';
export { areDisjoint, type Touch } from './touches.ts';
export { touchesOf } from './touches-of.ts';
export { parseTranscript, RecordingModel, Transcript, TranscriptModel, transcriptOf } from './transcript.ts';
