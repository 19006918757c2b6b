// SPDX-License-Identifier: Apache-2.0
import type { PolicySetSource } from '../document/policy-document.ts';
import { WRITE_INTERACTIVE } from './shared-rules.ts';

/**
 * The policy of a tenant without one: deny unless a rule permits, and a forbid wins. A rule that doesn't read
 * `supervision` permits at any level; the kernel first evaluates the least that risk allows. Each rule's `@reason` is
 * shown with the decision.
 */
export const DEFAULT_POLICY: PolicySetSource = {
  v: 1,
  name: 'default',
  description:
    'Reading runs by itself; changes run by themselves where somebody is there, unless their risk asks for a person; administrative tools are held; a scheduled job does what its list names.',
  cedar: `
@id("read.autopilot")
@reason("reading is permitted in every session")
permit (principal, action in Action::"read", resource);

${WRITE_INTERACTIVE}
@id("write.gateway")
@reason("changes to the workspace are permitted in a gateway session as long as nothing asks for a person")
permit (principal, action in Action::"write", resource)
when { context.session_mode == "gateway" };

@id("scheduled.listed")
@reason("the job's own list names the tool: that listing is the recorded approval")
permit (principal, action in [Action::"write", Action::"admin"], resource)
when { context.session_mode == "scheduled" && context.job_lists_tool };

@id("scheduled.unlisted")
@reason("a scheduled session changes nothing with a tool that its job doesn't list")
@would_pass("a job whose list names the tool")
forbid (principal, action in [Action::"write", Action::"admin"], resource)
when { context.session_mode == "scheduled" && !context.job_lists_tool };

@id("admin.held")
@reason("an administrative tool waits for a person in an interactive session")
permit (principal, action in Action::"admin", resource)
when { context.session_mode == "interactive" && context.supervision != "autopilot" };

@id("admin.risky")
@reason("an administrative tool with a risk of its own needs administrators")
@would_pass("an action without that risk")
forbid (principal, action in Action::"admin", resource)
when { context.risk_level != "autopilot" && context.supervision == "soft_gate" };

@id("session.unattended")
@reason("nobody is there to approve in a session that isn't interactive")
@would_pass("an interactive session, where a person can be asked")
forbid (principal, action, resource)
when { context.session_mode != "interactive" && context.supervision != "autopilot" }
unless { action == Action::"shell.dangerous" && context.session_mode == "scheduled" && context.job_lists_tool };

@id("labels.leak")
@reason("secrets or private data were read, and this tool reaches outside, so a person must see what leaves")
@would_pass("a session that has read no secret and no private data")
forbid (principal, action, resource)
when {
  context.tool_class == "broker" &&
  context.labels.containsAny(["secret_read", "private_data"]) &&
  context.supervision == "autopilot"
}
unless {
  action in [Action::"calendar.find", Action::"email.find"] &&
  !context.labels.contains("secret_read")
};

@id("labels.exfiltration")
@reason("untrusted content came in, secrets or private data were read, and this tool reaches outside: administrators must agree")
@would_pass("a session without untrusted content")
forbid (principal, action, resource)
when {
  context.tool_class == "broker" &&
  context.labels.contains("untrusted_content") &&
  context.labels.containsAny(["secret_read", "private_data"]) &&
  context.supervision != "escalated"
}
unless {
  action in [Action::"calendar.find", Action::"email.find", Action::"email.draft"] &&
  !context.labels.contains("secret_read")
};

@id("labels.untrusted_effect")
@reason("after untrusted content came in, the call changed pipelines or files of secrets, so a person must see them")
@would_pass("an effect that leaves pipelines and files of secrets alone")
forbid (principal, action, resource)
when {
  context has effect &&
  context.labels.contains("untrusted_content") &&
  context.effect.areas.containsAny(["pipelines", "secrets"]) &&
  context.supervision == "autopilot"
};
`.trimStart(),
};
