// SPDX-License-Identifier: Apache-2.0
import type { Revision } from './suite.ts';

/** The capabilities are optional, and a mount has tools alone. */
const TOOLS_ALONE = 'a mount serves the tools of its server: prompts, resources and completions are optional';
/** A client's answer would become a part of a call that was decided without it. */
const ASKS = 'a server behind Writ may ask nothing of the client: whoever needs an answer refuses without one';
const LOGGING = 'the capability `logging` is optional, and a mount does not declare it';

/**
 * Scenarios and checks that pass at a server alone and not at its mount, each with the reason why the revision does not
 * ask for it.
 */
export const NOT_AT_MOUNT: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2026-07-28': {
    'completion-complete': TOOLS_ALONE,
    'resources-list': TOOLS_ALONE,
    'resources-read-text': TOOLS_ALONE,
    'resources-read-binary': TOOLS_ALONE,
    'resources-templates-read': TOOLS_ALONE,
    'sep-2164-resource-not-found': TOOLS_ALONE,
    'prompts-list': TOOLS_ALONE,
    'prompts-get-simple': TOOLS_ALONE,
    'prompts-get-with-args': TOOLS_ALONE,
    'prompts-get-embedded-resource': TOOLS_ALONE,
    'prompts-get-with-image': TOOLS_ALONE,
    'input-required-result-basic-elicitation': ASKS,
  },
  '2025-11-25': { 'completion-complete': TOOLS_ALONE, 'logging-set-level': LOGGING },
};
