// SPDX-License-Identifier: Apache-2.0
// Rules that several shipped sets share unchanged, with the same ids.

export const WRITE_INTERACTIVE = `@id("write.interactive")
@reason("changes to the workspace are permitted in an interactive session")
permit (principal, action in Action::"write", resource)
when { context.session_mode == "interactive" };
`;

export const SESSION_UNATTENDED = `@id("session.unattended")
@reason("nobody is there to approve in a session that isn't interactive")
@would_pass("an interactive session, where a person can be asked")
forbid (principal, action, resource)
when { context.session_mode != "interactive" && context.supervision != "autopilot" };
`;
