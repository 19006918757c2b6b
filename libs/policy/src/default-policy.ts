// SPDX-License-Identifier: Apache-2.0

/**
 * The policy of a tenant that has set none: deny unless a rule permits, and a forbid wins. A rule that doesn't look at `supervision` permits
 * at any; the kernel asks for the least first, so it permits without any. Each rule's `@reason` is shown to whoever is told of the decision.
 */
export const DEFAULT_POLICY = `
@id("read.autopilot")
@reason("reading runs without supervision")
permit (principal, action in Action::"read", resource)
when { context.risk_ceiling == "none" };

@id("write.interactive")
@reason("in an interactive session, changes to the workspace run without supervision")
permit (principal, action in Action::"write", resource)
when { context.session_mode == "interactive" && context.risk_ceiling == "none" };

@id("write.gateway")
@reason("in a gateway session, changes to the workspace run without supervision as long as no rule of the risk table asks for a person")
permit (principal, action in Action::"write", resource)
when { context.session_mode == "gateway" && context.risk_ceiling == "none" };

@id("write.staged_change")
@reason("a staged change with its token was shown before, so it needs no further approval")
permit (principal, action in Action::"write", resource)
when { context.session_mode == "gateway" && context.staged_change };

@id("scheduled.listed")
@reason("the job's own list names the tool: that listing is the recorded approval")
permit (principal, action in [Action::"write", Action::"admin"], resource)
when { context.session_mode == "scheduled" && context.job_lists_tool && context.risk_ceiling == "none" };

@id("risk.soft_gate")
@reason("the risk table wants a person to see this first")
permit (principal, action in [Action::"read", Action::"write"], resource)
when {
  context.session_mode == "interactive" &&
  context.risk_ceiling == "soft_gate" &&
  context.risk_milli < 990 &&
  ["soft_gate", "escalated"].contains(context.supervision)
};

@id("risk.escalated")
@reason("so much risk comes together that administrators must agree")
permit (principal, action, resource)
when {
  context.session_mode == "interactive" &&
  context.risk_ceiling == "soft_gate" &&
  context.supervision == "escalated"
};

@id("admin.held")
@reason("an administrative tool waits for a person in an interactive session")
permit (principal, action in Action::"admin", resource)
when {
  context.session_mode == "interactive" &&
  context.risk_ceiling == "none" &&
  ["soft_gate", "escalated"].contains(context.supervision)
};

@id("risk.no_go")
@reason("the risk table rules this out, and no approval lifts that")
forbid (principal, action, resource)
when { context.risk_ceiling == "no_go" };

@id("session.unattended")
@reason("nobody is there to approve in a gateway session")
forbid (principal, action, resource)
when { context.session_mode == "gateway" && context.supervision != "autopilot" };

@id("effect.runs_later")
@reason("the call changed files that a later command of somebody else runs by itself, so a person must see them")
forbid (principal, action, resource)
when {
  context has effect &&
  context.effect.areas.contains("runs_later") &&
  context.supervision == "autopilot"
};
`.trimStart();
