// SPDX-License-Identifier: Apache-2.0
import type { PolicySetSource } from '../document/policy-document.ts';
import { SESSION_UNATTENDED, WRITE_INTERACTIVE } from './shared-rules.ts';

const HOUR_MS = 3_600_000;

/**
 * For a tenant whose agents aren't trusted yet: a person sees commands, everything that reaches outside, and every
 * sensitive effect.
 */
export const STRICT_POLICY: PolicySetSource = {
  v: 1,
  name: 'strict',
  description:
    'Reading and edits of files run by themselves in an interactive session; commands, deletions and all that reaches outside wait for a person; administrative tools need two administrators; gateway sessions only read.',
  thresholds: { general: { soft_gate: 0.3, escalated: 0.7, no_go: 0.95 } },
  quorum: { soft_gate: 1, escalated: 2 },
  ttl: { approval_ms: 4 * HOUR_MS, preview_ms: HOUR_MS, session_grant_ms: HOUR_MS },
  history: [
    {
      id: 'strict.many_changes',
      kind: 'at_most',
      tools: ['fs.write', 'fs.edit', 'fs.edit_files', 'shell.run'],
      n: 300,
      window_ms: HOUR_MS,
      then: 'soft_gate',
      reason: 'the session has changed so much within an hour that a person should look',
    },
  ],
  cedar: `
@id("read.workspace")
@reason("reading is permitted in every session")
permit (principal, action in Action::"read", resource);

${WRITE_INTERACTIVE}
@id("scheduled.listed")
@reason("the job's own list names the tool: that listing is the recorded approval")
permit (principal, action in Action::"write", resource)
when { context.session_mode == "scheduled" && context.job_lists_tool && context.tool_class == "inline" };

@id("admin.escalated")
@reason("an administrative tool needs administrators")
permit (principal, action in Action::"admin", resource)
when { context.session_mode == "interactive" && context.supervision == "escalated" };

@id("strict.commands")
@reason("what a command does can't be known from its text, so a person sees it first")
@would_pass("a file tool instead of a command")
forbid (principal, action in Action::"write", resource)
when { context.tool_class == "sandboxed" && context.supervision == "autopilot" };

@id("strict.outside")
@reason("the tool reaches outside of the workspace, so a person sees it first")
@would_pass("a tool that stays in the workspace")
forbid (principal, action, resource)
when { context.tool_class == "broker" && context.supervision == "autopilot" };

@id("strict.leak")
@reason("secrets or private data were read, and this tool reaches outside: administrators must agree")
@would_pass("a session that has read no secret and no private data")
forbid (principal, action, resource)
when {
  context.tool_class == "broker" &&
  context.labels.containsAny(["secret_read", "private_data"]) &&
  context.supervision != "escalated"
}
unless {
  action in [Action::"calendar.find", Action::"email.find"] &&
  !context.labels.contains("secret_read")
};

@id("strict.untrusted")
@reason("untrusted content came into the session, so a person sees what it changes")
@would_pass("a session without untrusted content")
forbid (principal, action in [Action::"write", Action::"admin"], resource)
when { context.labels.contains("untrusted_content") && context.supervision == "autopilot" };

${SESSION_UNATTENDED}
@id("effect.deletes")
@reason("the call deleted files, so a person must see which")
@would_pass("an effect that deletes nothing")
forbid (principal, action, resource)
when { context has effect && context.effect.deleted > 0 && context.supervision == "autopilot" };

@id("effect.touchy")
@reason("the call changed git's own files, hooks, pipelines or files of secrets, so a person must see them")
@would_pass("an effect that leaves git, hooks, pipelines and files of secrets alone")
forbid (principal, action, resource)
when { context has effect && !context.effect.areas.isEmpty() && context.supervision == "autopilot" };
`.trimStart(),
};
