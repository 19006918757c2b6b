// SPDX-License-Identifier: Apache-2.0
export { unresolve, type Alias } from './aliases/alias.ts';
export { BLOCK_ALIASES } from './aliases/blocks.ts';
export { NATIVE_NAMES, nativeNameOf, toolIdOf } from './aliases/native.ts';
export { errorInWords } from './aliases/words.ts';
export { YIPS_SKILLS, YIPS_SUBAGENT, YIPS_TOOLS } from './aliases/yips.ts';
export {
  DIALECTS,
  TEXT_DIALECTS,
  type Answer,
  type Args,
  type CallMode,
  type DialectCall,
  type DialectName,
  type DialectParser,
  type Parsed,
  type Problem,
  type ProblemLevel,
  type Prompt,
  type RenderedMessage,
  type Stop,
  type TextDialect,
} from './dialect.ts';
export { type Outcome, outcomeOf } from './outcome.ts';
export { isSequential, parse, parserOf, prompt, render, renderAnswers } from './dialects.ts';
export { DIALECT_LIMITS } from './limits.ts';
export { CallArguments } from './native/call-arguments.ts';
export { offeredResources, offeredTools, type Offer, type OfferedResource, type OfferedSkill } from './offer.ts';
export { OUTCOME_STATUSES, outcomeStatusOf, type OutcomeStatus } from './outcome-status.ts';
export { listInstead } from './tools-xml/list-instead.ts';
export { escapeVariables, fillVariables, unfilledVariable } from './tools-xml/variables.ts';
export { cutForJson, cutIn, cutResult, noticeOf, type Cut } from './text/cut.ts';
export { truncated } from './text/truncate.ts';
export { PIVOT_GUIDANCE } from './yips/render-yips.ts';
