# SPDX-License-Identifier: Apache-2.0
# Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.
from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Union

from .. import models
from .._shell import Download, Events, Group, Listed, Shell
from .._options import RequestOptions
from . import routes


class AgentsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.AgentList, models.Agent]:
        """Lists the agents. Roles: admin, operator, agent, auditor."""
        return self._list(routes.AGENTS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.AgentList)

    def create(self, body: models.NewName | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Agent:
        """Creates an agent. Roles: admin."""
        answer: models.Agent = self._json(routes.AGENTS__CREATE, (), body, {}, options, models.Agent)
        return answer

    def get(self, agent_id: str, /, *, options: RequestOptions | None = None) -> models.Agent:
        """Shows an agent. Roles: admin, operator, agent, auditor."""
        answer: models.Agent = self._json(routes.AGENTS__GET, (agent_id, ), None, {}, options, models.Agent)
        return answer


class ApiKeysApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ApiKeyList, models.ApiKey]:
        """Lists the keys, including revoked ones. Roles: admin."""
        return self._list(routes.API_KEYS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ApiKeyList)

    def create(self, body: models.CreateApiKeyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.NewApiKey:
        """Creates a key, which is shown once. Roles: admin."""
        answer: models.NewApiKey = self._json(routes.API_KEYS__CREATE, (), body, {}, options, models.NewApiKey)
        return answer

    def rotate(self, api_key_id: str, body: models.RotateApiKeyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.NewApiKey:
        """Exchanges the secret of a key, which keeps its id and all that depends on it. Roles: admin."""
        answer: models.NewApiKey = self._json(routes.API_KEYS__ROTATE, (api_key_id, ), body, {}, options, models.NewApiKey)
        return answer

    def rotate_own(self, body: models.RotateOwnApiKeyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.NewApiKey:
        """Exchanges the secret of the key that the request presents. Roles: admin, operator, agent, auditor, worker."""
        answer: models.NewApiKey = self._json(routes.API_KEYS__ROTATE_OWN, (), body, {}, options, models.NewApiKey)
        return answer

    def revoke(self, api_key_id: str, /, *, options: RequestOptions | None = None) -> models.RevokedApiKey:
        """Revokes a key: it is rejected within a second, and its calls and runs end. Roles: admin."""
        answer: models.RevokedApiKey = self._json(routes.API_KEYS__REVOKE, (api_key_id, ), None, {}, options, models.RevokedApiKey)
        return answer


class ApprovalsApi(Group):
    def delegate(self, body: models.DelegateApprovalRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Delegation:
        """Delegates your right to approve to another person for a time: their decisions count as yours. Roles: admin, operator."""
        answer: models.Delegation = self._json(routes.APPROVALS__DELEGATE, (), body, {}, options, models.Delegation)
        return answer

    def list_delegations(self, *, cursor: str | None = None, limit: int | None = None, standing: bool | None = None, options: RequestOptions | None = None) -> Listed[models.DelegationList, models.Delegation]:
        """Lists who may approve for whom. Roles: admin, operator, auditor."""
        return self._list(routes.APPROVALS__LIST_DELEGATIONS, (), None, {"cursor": cursor, "limit": limit, "standing": standing}, options, models.DelegationList)

    def revoke_delegation(self, delegation_id: str, /, *, options: RequestOptions | None = None) -> models.Delegation:
        """Revokes a delegation; its votes no longer count for pending approvals. Allowed for the delegating person and administrators. Roles: admin, operator."""
        answer: models.Delegation = self._json(routes.APPROVALS__REVOKE_DELEGATION, (delegation_id, ), None, {}, options, models.Delegation)
        return answer

    def list_brief(self, *, cursor: str | None = None, limit: int | None = None, state: models.ListApprovalsState | None = None, order: models.ApprovalOrder | None = None, mine: bool | None = None, tool_id: str | None = None, agent_id: str | None = None, session_id: str | None = None, autonomy_mode: models.HeldMode | None = None, group: str | None = None, person_id: str | None = None, risk_min: float | None = None, since: str | None = None, until: str | None = None, expires_before: str | None = None, alike: str | None = None, options: RequestOptions | None = None) -> Listed[models.ApprovalBriefList, models.ApprovalBrief]:
        """Lists approvals without arguments, effects and texts, for a queue of many. Roles: admin, operator, auditor."""
        return self._list(routes.APPROVALS__LIST_BRIEF, (), None, {"cursor": cursor, "limit": limit, "state": state, "order": order, "mine": mine, "tool_id": tool_id, "agent_id": agent_id, "session_id": session_id, "autonomy_mode": autonomy_mode, "group": group, "person_id": person_id, "risk_min": risk_min, "since": since, "until": until, "expires_before": expires_before, "alike": alike}, options, models.ApprovalBriefList)

    def group(self, *, mine: bool | None = None, tool_id: str | None = None, agent_id: str | None = None, session_id: str | None = None, autonomy_mode: models.HeldMode | None = None, group: str | None = None, person_id: str | None = None, risk_min: float | None = None, since: str | None = None, until: str | None = None, expires_before: str | None = None, alike: str | None = None, order: models.GroupApprovalsOrder | None = None, options: RequestOptions | None = None) -> models.ApprovalGroups:
        """Counts pending approvals of alike calls: of one tool, agent and autonomy mode, held for the same reasons. Roles: admin, operator, auditor."""
        answer: models.ApprovalGroups = self._json(routes.APPROVALS__GROUP, (), None, {"mine": mine, "tool_id": tool_id, "agent_id": agent_id, "session_id": session_id, "autonomy_mode": autonomy_mode, "group": group, "person_id": person_id, "risk_min": risk_min, "since": since, "until": until, "expires_before": expires_before, "alike": alike, "order": order}, options, models.ApprovalGroups)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, state: models.ListApprovalsState | None = None, order: models.ApprovalOrder | None = None, mine: bool | None = None, tool_id: str | None = None, agent_id: str | None = None, session_id: str | None = None, autonomy_mode: models.HeldMode | None = None, group: str | None = None, person_id: str | None = None, risk_min: float | None = None, since: str | None = None, until: str | None = None, expires_before: str | None = None, alike: str | None = None, expand: str | None = None, options: RequestOptions | None = None) -> Listed[models.ApprovalList, models.Approval]:
        """Lists approvals, newest first unless another order is asked for. Roles: admin, operator, auditor."""
        return self._list(routes.APPROVALS__LIST, (), None, {"cursor": cursor, "limit": limit, "state": state, "order": order, "mine": mine, "tool_id": tool_id, "agent_id": agent_id, "session_id": session_id, "autonomy_mode": autonomy_mode, "group": group, "person_id": person_id, "risk_min": risk_min, "since": since, "until": until, "expires_before": expires_before, "alike": alike, "expand": expand}, options, models.ApprovalList)

    def get(self, approval_id: str, /, *, expand: str | None = None, options: RequestOptions | None = None) -> models.Approval:
        """Shows the held call, and the effect of its preview. Roles: admin, operator, auditor."""
        answer: models.Approval = self._json(routes.APPROVALS__GET, (approval_id, ), None, {"expand": expand}, options, models.Approval)
        return answer

    def get_diff(self, approval_id: str, /, *, options: RequestOptions | None = None) -> models.ApprovalDiff:
        """Shows the staged effect as a diff, which an approval would commit. Roles: admin, operator."""
        answer: models.ApprovalDiff = self._json(routes.APPROVALS__GET_DIFF, (approval_id, ), None, {}, options, models.ApprovalDiff)
        return answer

    def list_alike(self, approval_id: str, /, *, options: RequestOptions | None = None) -> models.PastDecisions:
        """Lists how the last approvals of calls of the same tool and agent ended. Roles: admin, operator, auditor."""
        answer: models.PastDecisions = self._json(routes.APPROVALS__LIST_ALIKE, (approval_id, ), None, {}, options, models.PastDecisions)
        return answer

    def approve(self, approval_id: str, body: models.ApproveRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Operation:
        """Approves a call; nobody approves their own. Where a quorum is needed, it counts as one vote. Roles: admin, operator."""
        answer: models.Operation = self._json(routes.APPROVALS__APPROVE, (approval_id, ), body, {}, options, models.Operation)
        return answer

    def edit(self, approval_id: str, body: models.EditApprovalRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Operation:
        """Ends the held call and proposes it again with other arguments; the editor may not approve the new call. Roles: admin, operator."""
        answer: models.Operation = self._json(routes.APPROVALS__EDIT, (approval_id, ), body, {}, options, models.Operation)
        return answer

    def give_value(self, approval_id: str, body: models.GiveValueRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Operation:
        """Supplies the value that a call waits for; nobody supplies one to their own call. No response, record, event or log contains it. Roles: admin, operator."""
        answer: models.Operation = self._json(routes.APPROVALS__GIVE_VALUE, (approval_id, ), body, {}, options, models.Operation)
        return answer

    def deny(self, approval_id: str, body: models.DenyRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Operation:
        """Denies a call; the agent receives the comment. Roles: admin, operator."""
        answer: models.Operation = self._json(routes.APPROVALS__DENY, (approval_id, ), body, {}, options, models.Operation)
        return answer


class ApproverGroupsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ApproverGroupList, models.ApproverGroup]:
        """Lists the approver groups with their members, by name. Roles: admin, operator, auditor."""
        return self._list(routes.APPROVER_GROUPS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ApproverGroupList)

    def put(self, body: models.PutApproverGroupRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.ApproverGroup:
        """Makes or changes an approver group: it has exactly these members afterwards. Roles: admin."""
        answer: models.ApproverGroup = self._json(routes.APPROVER_GROUPS__PUT, (), body, {}, options, models.ApproverGroup)
        return answer

    def get(self, group: str, /, *, options: RequestOptions | None = None) -> models.ApproverGroup:
        """Shows one approver group. Roles: admin, operator, auditor."""
        answer: models.ApproverGroup = self._json(routes.APPROVER_GROUPS__GET, (group, ), None, {}, options, models.ApproverGroup)
        return answer

    def delete(self, group: str, /, *, options: RequestOptions | None = None) -> models.Removed:
        """Removes an approver group that the policy in force does not name, and that has no budget. Roles: admin."""
        answer: models.Removed = self._json(routes.APPROVER_GROUPS__DELETE, (group, ), None, {}, options, models.Removed)
        return answer


class AudioDevicesApi(Group):
    def get(self, resource_id: str, /, *, options: RequestOptions | None = None) -> models.AudioDevice:
        """Shows what is kept of an audio device: times, bytes and gaps, and no samples. Roles: admin, operator, auditor."""
        answer: models.AudioDevice = self._json(routes.AUDIO_DEVICES__GET, (resource_id, ), None, {}, options, models.AudioDevice)
        return answer

    def upload_audio_frames(self, resource_id: str, body: bytes, /, *, options: RequestOptions | None = None) -> models.FramesReceived:
        """Uploads frames of an audio device, as they are recorded; an agent's key only if it is the uploader. Roles: admin, operator, agent."""
        answer: models.FramesReceived = self._json(routes.AUDIO_DEVICES__UPLOAD_AUDIO_FRAMES, (resource_id, ), body, {}, options, models.FramesReceived)
        return answer


class BudgetsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.BudgetList, models.Budget]:
        """Lists the budgets per day and month, with their use and when they reset. Roles: admin, operator, auditor."""
        return self._list(routes.BUDGETS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.BudgetList)

    def set(self, body: models.BudgetSetting | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Budget:
        """Makes a budget, or sets the limit of the one of the same subject, period, measure and currency. Roles: admin."""
        answer: models.Budget = self._json(routes.BUDGETS__SET, (), body, {}, options, models.Budget)
        return answer

    def get(self, budget_id: str, /, *, options: RequestOptions | None = None) -> models.Budget:
        """Shows a budget, with its use and when it resets. Roles: admin, operator, auditor."""
        answer: models.Budget = self._json(routes.BUDGETS__GET, (budget_id, ), None, {}, options, models.Budget)
        return answer

    def delete(self, budget_id: str, /, *, options: RequestOptions | None = None) -> models.Budget:
        """Deletes a budget with the count of its use. Roles: admin."""
        answer: models.Budget = self._json(routes.BUDGETS__DELETE, (budget_id, ), None, {}, options, models.Budget)
        return answer


class CallSettingsApi(Group):
    def get(self, *, options: RequestOptions | None = None) -> models.CallSettings:
        """Shows which paths calls may reach whatever their tokens grant, and the limit on the output of commands. Roles: admin, operator, auditor."""
        answer: models.CallSettings = self._json(routes.CALL_SETTINGS__GET, (), None, {}, options, models.CallSettings)
        return answer

    def set(self, body: models.SetCallSettingsRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.CallSettings:
        """Sets them; omitted ones stay. Every decision after the answer is made under the new settings. Roles: admin."""
        answer: models.CallSettings = self._json(routes.CALL_SETTINGS__SET, (), body, {}, options, models.CallSettings)
        return answer


class CapabilityTokensApi(Group):
    def issue(self, body: models.IssueTokenRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Token:
        """Issues a token to an agent. Roles: admin."""
        answer: models.Token = self._json(routes.CAPABILITY_TOKENS__ISSUE, (), body, {}, options, models.Token)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, agent_id: str | None = None, parent_id: str | None = None, expand: str | None = None, options: RequestOptions | None = None) -> Listed[models.TokenList, models.Token]:
        """Lists tokens; an agent's key sees its own and their descendants. Roles: admin, operator, agent, auditor."""
        return self._list(routes.CAPABILITY_TOKENS__LIST, (), None, {"cursor": cursor, "limit": limit, "agent_id": agent_id, "parent_id": parent_id, "expand": expand}, options, models.TokenList)

    def attenuate(self, capability_token_id: str, body: models.AttenuateTokenRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Token:
        """Creates a child token that grants less, for the same agent or another. Roles: admin, agent."""
        answer: models.Token = self._json(routes.CAPABILITY_TOKENS__ATTENUATE, (capability_token_id, ), body, {}, options, models.Token)
        return answer

    def get(self, capability_token_id: str, /, *, expand: str | None = None, options: RequestOptions | None = None) -> models.Token:
        """Shows a token and its used budgets. Roles: admin, operator, agent, auditor."""
        answer: models.Token = self._json(routes.CAPABILITY_TOKENS__GET, (capability_token_id, ), None, {"expand": expand}, options, models.Token)
        return answer

    def revoke(self, capability_token_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Token:
        """Revokes a token and its descendants; an agent's key may revoke only descendants of its tokens. Roles: admin, operator, agent."""
        answer: models.Token = self._json(routes.CAPABILITY_TOKENS__REVOKE, (capability_token_id, ), body, {}, options, models.Token)
        return answer


class ChannelsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ChannelList, models.Channel]:
        """Lists the channels, newest first. Roles: admin, operator, auditor."""
        return self._list(routes.CHANNELS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ChannelList)

    def create(self, body: models.CreateChannelRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Channel:
        """Creates a channel, in which messages about approvals appear from now on. Roles: admin."""
        answer: models.Channel = self._json(routes.CHANNELS__CREATE, (), body, {}, options, models.Channel)
        return answer

    def get(self, channel_id: str, /, *, options: RequestOptions | None = None) -> models.Channel:
        """Shows a channel. Roles: admin, operator, auditor."""
        answer: models.Channel = self._json(routes.CHANNELS__GET, (channel_id, ), None, {}, options, models.Channel)
        return answer

    def change(self, channel_id: str, body: models.ChangeChannelRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Channel:
        """Changes what is given of a channel, disables it or enables it again. Roles: admin."""
        answer: models.Channel = self._json(routes.CHANNELS__CHANGE, (channel_id, ), body, {}, options, models.Channel)
        return answer

    def delete(self, channel_id: str, /, *, options: RequestOptions | None = None) -> models.Channel:
        """Deletes a channel; messages that were sent stay where they are. Roles: admin."""
        answer: models.Channel = self._json(routes.CHANNELS__DELETE, (channel_id, ), None, {}, options, models.Channel)
        return answer


class ContainersApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ContainerList, models.Container]:
        """Lists the containers that run a call or a session now; the platform key sees every tenant's. Roles: admin, operator, auditor, the platform key."""
        return self._list(routes.CONTAINERS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ContainerList)

    def get_logs(self, container_id: str, /, *, options: RequestOptions | None = None) -> models.ContainerLogs:
        """Shows the last output of a container so far. Roles: admin, operator, auditor."""
        answer: models.ContainerLogs = self._json(routes.CONTAINERS__GET_LOGS, (container_id, ), None, {}, options, models.ContainerLogs)
        return answer

    def kill(self, container_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Container:
        """Kills a container: its call ends as `sandbox.killed`, a session loses its shell. Roles: admin, operator, the platform key."""
        answer: models.Container = self._json(routes.CONTAINERS__KILL, (container_id, ), body, {}, options, models.Container)
        return answer


class DeviceAuthorizationsApi(Group):
    def create(self, body: bytes, /, *, options: RequestOptions | None = None) -> models.CreateDeviceAuthorizationAnswer:
        """Asks for a session of a program, which a person approves in a browser (RFC 8628). Needs no key."""
        answer: models.CreateDeviceAuthorizationAnswer = self._json(routes.DEVICE_AUTHORIZATIONS__CREATE, (), body, {}, options, models.CreateDeviceAuthorizationAnswer)
        return answer


class ErasuresApi(Group):
    def erase(self, body: models.EraseRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Erasure | models.EraseAnswerWithDryRun:
        """Erases the contents of calls and the texts of their sessions: of one call, a session, a data subject, or all before a time. It can't be undone; records and receipts stay valid. Roles: admin."""
        answer: models.Erasure | models.EraseAnswerWithDryRun = self._json(routes.ERASURES__ERASE, (), body, {}, options, Union[models.Erasure, models.EraseAnswerWithDryRun])
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ErasureList, models.Erasure]:
        """Lists erasures, newest first, including those of retention. Roles: admin, operator, auditor."""
        return self._list(routes.ERASURES__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ErasureList)

    def get(self, erasure_id: str, /, *, options: RequestOptions | None = None) -> models.Erasure:
        """Shows an erasure. Roles: admin, operator, auditor."""
        answer: models.Erasure = self._json(routes.ERASURES__GET, (erasure_id, ), None, {}, options, models.Erasure)
        return answer


class EventsApi(Group):
    def follow(self, *, for_ms: int | None = None, options: RequestOptions | None = None) -> Events:
        """Streams events of operations as they happen; an agent's key receives those of its agent. Roles: admin, operator, agent, auditor."""
        return self._events(routes.EVENTS__FOLLOW, (), None, {"for_ms": for_ms}, options)


class ExecutionProfilesApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ProfileList, models.Profile]:
        """Lists the execution profiles of raw commands, by name. Roles: admin, operator, auditor."""
        return self._list(routes.EXECUTION_PROFILES__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ProfileList)

    def create(self, body: models.CreateExecutionProfileRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.ProfilePut:
        """Registers an execution profile, under which `shell.dangerous` runs raw commands; it never changes. Roles: admin."""
        answer: models.ProfilePut = self._json(routes.EXECUTION_PROFILES__CREATE, (), body, {}, options, models.ProfilePut)
        return answer

    def get(self, profile: str, /, *, options: RequestOptions | None = None) -> models.Profile:
        """Shows one execution profile. Roles: admin, operator, auditor."""
        answer: models.Profile = self._json(routes.EXECUTION_PROFILES__GET, (profile, ), None, {}, options, models.Profile)
        return answer

    def delete(self, profile: str, /, *, options: RequestOptions | None = None) -> models.Removed:
        """Removes an execution profile: no call runs under it from then on, not even one that waits already. Roles: admin."""
        answer: models.Removed = self._json(routes.EXECUTION_PROFILES__DELETE, (profile, ), None, {}, options, models.Removed)
        return answer


class ExportsApi(Group):
    def export_records(self, *, format: models.ExportRecordsFormat | None = None, after: int | None = None, limit: int | None = None, follow: bool | None = None, options: RequestOptions | None = None) -> Download:
        """Exports the records of the tenant's log, one per line, in the order of the log. Roles: admin, operator, auditor."""
        return self._download(routes.EXPORTS__EXPORT_RECORDS, (), None, {"format": format, "after": after, "limit": limit, "follow": follow}, options)

    def export_bundle(self, *, session: str | None = None, since: int | None = None, until: int | None = None, options: RequestOptions | None = None) -> Download:
        """Exports a signed archive that verifies offline: the receipts of a session or a time range, with the policies and tools that they refer to. Roles: admin, operator, auditor."""
        return self._download(routes.EXPORTS__EXPORT_BUNDLE, (), None, {"session": session, "since": since, "until": until}, options)


class ExternalVersionsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, ref: str | None = None, options: RequestOptions | None = None) -> Listed[models.ExternalVersionList, models.ExternalVersion]:
        """Lists the versions of external things that calls may depend on. Roles: admin, operator, agent, auditor."""
        return self._list(routes.EXTERNAL_VERSIONS__LIST, (), None, {"cursor": cursor, "limit": limit, "ref": ref}, options, models.ExternalVersionList)

    def set(self, body: models.SetExternalVersionRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.ExternalVersion:
        """Sets the version of an external thing, if it still has the expected one. Roles: admin, operator."""
        answer: models.ExternalVersion = self._json(routes.EXTERNAL_VERSIONS__SET, (), body, {}, options, models.ExternalVersion)
        return answer


class FreezesApi(Group):
    def place(self, body: models.PlaceFreezeRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Freeze:
        """Stops a tenant, an agent or a tool; the platform key stops everything. Roles: admin, operator, the platform key."""
        answer: models.Freeze = self._json(routes.FREEZES__PLACE, (), body, {}, options, models.Freeze)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, standing: bool | None = None, options: RequestOptions | None = None) -> Listed[models.FreezeList, models.Freeze]:
        """Lists freezes, including the deployment's; the platform key sees only those. Roles: admin, operator, auditor, the platform key."""
        return self._list(routes.FREEZES__LIST, (), None, {"cursor": cursor, "limit": limit, "standing": standing}, options, models.FreezeList)

    def get(self, freeze_id: str, /, *, options: RequestOptions | None = None) -> models.Freeze:
        """Shows a freeze. Roles: admin, operator, auditor, the platform key."""
        answer: models.Freeze = self._json(routes.FREEZES__GET, (freeze_id, ), None, {}, options, models.Freeze)
        return answer

    def lift(self, freeze_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Freeze:
        """Lifts a freeze; the platform key lifts freezes of everything. Roles: admin, the platform key."""
        answer: models.Freeze = self._json(routes.FREEZES__LIFT, (freeze_id, ), body, {}, options, models.Freeze)
        return answer


class IdentityProvidersApi(Group):
    def list(self, *, options: RequestOptions | None = None) -> models.IdentityProviderList:
        """Lists the OAuth issuers whose access tokens are accepted. Roles: admin, auditor."""
        answer: models.IdentityProviderList = self._json(routes.IDENTITY_PROVIDERS__LIST, (), None, {}, options, models.IdentityProviderList)
        return answer

    def put(self, body: models.PutIdentityProviderRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.IdentityProvider:
        """Registers an OAuth issuer, or changes what the tokens of the one with this name may do. Roles: admin."""
        answer: models.IdentityProvider = self._json(routes.IDENTITY_PROVIDERS__PUT, (), body, {}, options, models.IdentityProvider)
        return answer

    def get(self, provider: str, /, *, options: RequestOptions | None = None) -> models.IdentityProvider:
        """Shows one OAuth issuer whose access tokens are accepted. Roles: admin, auditor."""
        answer: models.IdentityProvider = self._json(routes.IDENTITY_PROVIDERS__GET, (provider, ), None, {}, options, models.IdentityProvider)
        return answer

    def delete(self, provider: str, /, *, options: RequestOptions | None = None) -> models.EndedCredentials:
        """Removes an issuer: its tokens are refused within a second, and their calls and streams end. Roles: admin."""
        answer: models.EndedCredentials = self._json(routes.IDENTITY_PROVIDERS__DELETE, (provider, ), None, {}, options, models.EndedCredentials)
        return answer

    def deny_tokens(self, provider: str, body: models.DenyTokensRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.EndedCredentials:
        """Refuses a subject, or one token, though the issuer still vouches for it. Roles: admin."""
        answer: models.EndedCredentials = self._json(routes.IDENTITY_PROVIDERS__DENY_TOKENS, (provider, ), body, {}, options, models.EndedCredentials)
        return answer


class ImagesApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.ImageList, models.Image]:
        """Lists the images of the tenant, by name. Roles: admin, operator, auditor."""
        return self._list(routes.IMAGES__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.ImageList)

    def create(self, body: models.CreateImageRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Image:
        """Registers an image, which an executor then fetches or builds; it never changes. Roles: admin."""
        answer: models.Image = self._json(routes.IMAGES__CREATE, (), body, {}, options, models.Image)
        return answer

    def get(self, image: str, /, *, options: RequestOptions | None = None) -> models.Image:
        """Shows one image. Roles: admin, operator, auditor."""
        answer: models.Image = self._json(routes.IMAGES__GET, (image, ), None, {}, options, models.Image)
        return answer

    def delete(self, image: str, /, *, options: RequestOptions | None = None) -> models.Removed:
        """Removes an image: no call runs in it from then on, not even one that waits already. Roles: admin."""
        answer: models.Removed = self._json(routes.IMAGES__DELETE, (image, ), None, {}, options, models.Removed)
        return answer

    def get_log(self, image: str, /, *, options: RequestOptions | None = None) -> models.ImageLog:
        """Shows the end of what the builder of an image wrote. Roles: admin, operator, auditor."""
        answer: models.ImageLog = self._json(routes.IMAGES__GET_LOG, (image, ), None, {}, options, models.ImageLog)
        return answer


class InvitationsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.InvitationList, models.Invitation]:
        """Lists invitations, those that were over within a month too. Roles: admin, auditor."""
        return self._list(routes.INVITATIONS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.InvitationList)

    def create(self, body: models.CreateInvitationRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.NewInvitation:
        """Invites a person, who becomes a member with the role by signing in with the link. Roles: admin."""
        answer: models.NewInvitation = self._json(routes.INVITATIONS__CREATE, (), body, {}, options, models.NewInvitation)
        return answer

    def get(self, invitation_id: str, /, *, options: RequestOptions | None = None) -> models.Invitation:
        """Reads an invitation. Roles: admin, auditor."""
        answer: models.Invitation = self._json(routes.INVITATIONS__GET, (invitation_id, ), None, {}, options, models.Invitation)
        return answer

    def revoke(self, invitation_id: str, /, *, options: RequestOptions | None = None) -> models.Invitation:
        """Revokes an invitation: its link is good for nothing from then on. Roles: admin."""
        answer: models.Invitation = self._json(routes.INVITATIONS__REVOKE, (invitation_id, ), None, {}, options, models.Invitation)
        return answer


class JobsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, agent_id: str | None = None, options: RequestOptions | None = None) -> Listed[models.JobList, models.Job]:
        """Lists jobs, newest first; an agent's key sees its own. Roles: admin, operator, agent, auditor."""
        return self._list(routes.JOBS__LIST, (), None, {"cursor": cursor, "limit": limit, "agent_id": agent_id}, options, models.JobList)

    def create(self, body: models.JobSettings | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Job:
        """Creates a job: a scheduled task of an agent, with the mutating tools that its runs may use. Roles: admin."""
        answer: models.Job = self._json(routes.JOBS__CREATE, (), body, {}, options, models.Job)
        return answer

    def pause(self, job_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Job:
        """Pauses a job; runs in progress continue. Roles: admin, operator."""
        answer: models.Job = self._json(routes.JOBS__PAUSE, (job_id, ), body, {}, options, models.Job)
        return answer

    def resume(self, job_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Job:
        """Resumes a job; due times during the pause are skipped. Roles: admin."""
        answer: models.Job = self._json(routes.JOBS__RESUME, (job_id, ), body, {}, options, models.Job)
        return answer

    def list_runs(self, job_id: str, /, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.JobStartList, models.JobStart]:
        """Lists the starts of a job within the last 30 days, newest first. Roles: admin, operator, agent, auditor."""
        return self._list(routes.JOBS__LIST_RUNS, (job_id, ), None, {"cursor": cursor, "limit": limit}, options, models.JobStartList)

    def run(self, job_id: str, body: models.RunJobRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.JobStart:
        """Starts a job now, even if it is paused; the start waits for unfinished runs unless they may overlap. Roles: admin."""
        answer: models.JobStart = self._json(routes.JOBS__RUN, (job_id, ), body, {}, options, models.JobStart)
        return answer

    def get(self, job_id: str, /, *, options: RequestOptions | None = None) -> models.Job:
        """Shows a job. Roles: admin, operator, agent, auditor."""
        answer: models.Job = self._json(routes.JOBS__GET, (job_id, ), None, {}, options, models.Job)
        return answer

    def change(self, job_id: str, body: models.JobSettings | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Job:
        """Replaces the definition of a job, on behalf of the caller; runs in progress lose their token. Roles: admin."""
        answer: models.Job = self._json(routes.JOBS__CHANGE, (job_id, ), body, {}, options, models.Job)
        return answer

    def delete(self, job_id: str, /, *, options: RequestOptions | None = None) -> models.Job:
        """Deletes a job, and cancels its runs; their sessions remain. Roles: admin."""
        answer: models.Job = self._json(routes.JOBS__DELETE, (job_id, ), None, {}, options, models.Job)
        return answer


class LogApi(Group):
    def get_checkpoint(self, *, options: RequestOptions | None = None) -> Download:
        """Returns the signed checkpoint of the tenant's log. Roles: admin, operator, agent, auditor."""
        return self._download(routes.LOG__GET_CHECKPOINT, (), None, {}, options)

    def get_tile(self, tile: str, /, *, options: RequestOptions | None = None) -> Download:
        """Returns a tile of hashes, `<L>/<N>[.p/<W>]`; it never changes. Roles: admin, operator, agent, auditor."""
        return self._download(routes.LOG__GET_TILE, (tile, ), None, {}, options)

    def get_entries(self, bundle: str, /, *, options: RequestOptions | None = None) -> Download:
        """Returns a bundle of records, `<N>[.p/<W>]`; it never changes. Roles: admin, operator, auditor."""
        return self._download(routes.LOG__GET_ENTRIES, (bundle, ), None, {}, options)

    def get_signatures(self, bundle: str, /, *, options: RequestOptions | None = None) -> models.Signatures:
        """Returns the signatures of the records of a bundle, `<N>[.p/<W>]`; they never change. Roles: admin, operator, auditor."""
        answer: models.Signatures = self._json(routes.LOG__GET_SIGNATURES, (bundle, ), None, {}, options, models.Signatures)
        return answer

    def get_inclusion(self, *, leaf_index: int, options: RequestOptions | None = None) -> models.Inclusion:
        """Proves that a record is in the log of the newest checkpoint, for example to refresh a receipt. Roles: admin, operator, agent, auditor."""
        answer: models.Inclusion = self._json(routes.LOG__GET_INCLUSION, (), None, {"leaf_index": leaf_index}, options, models.Inclusion)
        return answer

    def get_consistency(self, *, from_: int, to: int, options: RequestOptions | None = None) -> models.Consistency:
        """Proves that the log of `to` records begins with the one of `from`. Roles: admin, operator, agent, auditor."""
        answer: models.Consistency = self._json(routes.LOG__GET_CONSISTENCY, (), None, {"from": from_, "to": to}, options, models.Consistency)
        return answer


class McpServersApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.McpServerList, models.McpServer]:
        """Lists the MCP servers of the tenant, by name. Roles: admin, operator, auditor."""
        return self._list(routes.MCP_SERVERS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.McpServerList)

    def get(self, mcp_server: str, /, *, options: RequestOptions | None = None) -> models.McpServer:
        """Shows one MCP server. Roles: admin, operator, auditor."""
        answer: models.McpServer = self._json(routes.MCP_SERVERS__GET, (mcp_server, ), None, {}, options, models.McpServer)
        return answer

    def refresh(self, mcp_server: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.McpServer:
        """Has an executor list the tools of an MCP server as soon as one is free. Roles: admin."""
        answer: models.McpServer = self._json(routes.MCP_SERVERS__REFRESH, (mcp_server, ), body, {}, options, models.McpServer)
        return answer

    def list_tools(self, mcp_server: str, /, *, cursor: str | None = None, limit: int | None = None, state: models.McpToolState | None = None, options: RequestOptions | None = None) -> Listed[models.McpServerToolList, models.McpServerTool]:
        """Lists what an MCP server lists, in the server's own words, with what was accepted of it. Roles: admin, operator, auditor."""
        return self._list(routes.MCP_SERVERS__LIST_TOOLS, (mcp_server, ), None, {"cursor": cursor, "limit": limit, "state": state}, options, models.McpServerToolList)

    def accept_tools(self, mcp_server: str, body: models.AcceptMcpServerToolsRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.McpToolDecision:
        """Puts tools into force with the definitions that were looked at: all of them, or none. Roles: admin."""
        answer: models.McpToolDecision = self._json(routes.MCP_SERVERS__ACCEPT_TOOLS, (mcp_server, ), body, {}, options, models.McpToolDecision)
        return answer

    def refuse_tools(self, mcp_server: str, body: models.RefuseMcpServerToolsRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.McpToolDecision:
        """Refuses definitions of tools: the tools are out of force while their server lists these. Roles: admin."""
        answer: models.McpToolDecision = self._json(routes.MCP_SERVERS__REFUSE_TOOLS, (mcp_server, ), body, {}, options, models.McpToolDecision)
        return answer

    def ask_mcp_connection(self, mcp_server: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.McpConnectionLink:
        """Makes a link by which the person of the access token lets an MCP server act under their own rights. Roles: admin, operator, agent."""
        answer: models.McpConnectionLink = self._json(routes.MCP_SERVERS__ASK_MCP_CONNECTION, (mcp_server, ), body, {}, options, models.McpConnectionLink)
        return answer

    def list_mcp_connections(self, mcp_server: str, /, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.McpConnectionList, models.McpConnection]:
        """Lists the caller's connections to an MCP server, and all of them for administrators. Roles: admin, operator, agent, auditor."""
        return self._list(routes.MCP_SERVERS__LIST_MCP_CONNECTIONS, (mcp_server, ), None, {"cursor": cursor, "limit": limit}, options, models.McpConnectionList)

    def ask_listing_mcp_connection(self, mcp_server: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.McpConnectionLink:
        """Makes such a link for an administrator, with whose rights the server's tools are listed too. Roles: admin."""
        answer: models.McpConnectionLink = self._json(routes.MCP_SERVERS__ASK_LISTING_MCP_CONNECTION, (mcp_server, ), body, {}, options, models.McpConnectionLink)
        return answer

    def get_mcp_connection(self, mcp_server: str, connection_id: str, /, *, options: RequestOptions | None = None) -> models.McpConnection:
        """Shows a connection: how far a consent is, and whether calls can use it. Roles: admin, operator, agent, auditor."""
        answer: models.McpConnection = self._json(routes.MCP_SERVERS__GET_MCP_CONNECTION, (mcp_server, connection_id, ), None, {}, options, models.McpConnection)
        return answer

    def end_mcp_connection(self, mcp_server: str, connection_id: str, /, *, options: RequestOptions | None = None) -> models.McpConnection:
        """Ends a connection: its tokens are revoked and forgotten, and no call uses them from then on. Roles: admin, operator, agent."""
        answer: models.McpConnection = self._json(routes.MCP_SERVERS__END_MCP_CONNECTION, (mcp_server, connection_id, ), None, {}, options, models.McpConnection)
        return answer


class MembersApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, kind: models.MemberKind | None = None, state: models.MemberState | None = None, options: RequestOptions | None = None) -> Listed[models.MemberList, models.Member]:
        """Lists people who signed in, and service accounts. Roles: admin, auditor."""
        return self._list(routes.MEMBERS__LIST, (), None, {"cursor": cursor, "limit": limit, "kind": kind, "state": state}, options, models.MemberList)

    def create_service_account(self, body: models.NewName | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Member:
        """Makes a service account, which keys can name and which decides about no call. Roles: admin."""
        answer: models.Member = self._json(routes.MEMBERS__CREATE_SERVICE_ACCOUNT, (), body, {}, options, models.Member)
        return answer

    def get(self, member_id: str, /, *, options: RequestOptions | None = None) -> models.Member:
        """Reads a member. Roles: admin, auditor."""
        answer: models.Member = self._json(routes.MEMBERS__GET, (member_id, ), None, {}, options, models.Member)
        return answer

    def change(self, member_id: str, body: models.ChangeMemberRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Member:
        """Gives a member a role of its own, or suspends it: its sessions, tokens and keys are refused within a second. Roles: admin."""
        answer: models.Member = self._json(routes.MEMBERS__CHANGE, (member_id, ), body, {}, options, models.Member)
        return answer

    def link_identity(self, member_id: str, body: models.LinkIdentityRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Member:
        """Links a subject of another identity provider to a person, who then signs in there too. Roles: admin."""
        answer: models.Member = self._json(routes.MEMBERS__LINK_IDENTITY, (member_id, ), body, {}, options, models.Member)
        return answer

    def offboard(self, member_id: str, body: models.OffboardMemberRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.OffboardMemberAnswer:
        """Ends for good all that a member holds, lent or approved: at once, and within a minute what is left. Roles: admin."""
        answer: models.OffboardMemberAnswer = self._json(routes.MEMBERS__OFFBOARD, (member_id, ), body, {}, options, models.OffboardMemberAnswer)
        return answer


class ModelsApi(Group):
    def list(self, *, options: RequestOptions | None = None) -> models.ModelList:
        """Lists the models that sessions may use, with their prices. Roles: admin, operator, agent, auditor."""
        answer: models.ModelList = self._json(routes.MODELS__LIST, (), None, {}, options, models.ModelList)
        return answer


class OauthApi(Group):
    def issue_access_token(self, body: bytes, /, *, options: RequestOptions | None = None) -> models.TokenAnswer:
        """Exchanges a grant for a token (RFC 6749 §3.2). Needs no key."""
        answer: models.TokenAnswer = self._json(routes.OAUTH__ISSUE_ACCESS_TOKEN, (), body, {}, options, models.TokenAnswer)
        return answer


class OperationsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, state: models.CallState | None = None, tool_id: str | None = None, agent_id: str | None = None, workspace_id: str | None = None, session_id: str | None = None, scheduling_class: models.SchedulingClass | None = None, unresolved: bool | None = None, expand: str | None = None, options: RequestOptions | None = None) -> Listed[models.OperationList, models.Operation]:
        """Lists operations, newest first; an agent's key sees its own. Roles: admin, operator, agent, auditor."""
        return self._list(routes.OPERATIONS__LIST, (), None, {"cursor": cursor, "limit": limit, "state": state, "tool_id": tool_id, "agent_id": agent_id, "workspace_id": workspace_id, "session_id": session_id, "scheduling_class": scheduling_class, "unresolved": unresolved, "expand": expand}, options, models.OperationList)

    def get(self, operation_id: str, /, *, wait: int | None = None, expand: str | None = None, options: RequestOptions | None = None) -> models.Operation:
        """Shows an operation; with `wait`, returns as soon as it has ended or is held. Roles: admin, operator, agent, auditor."""
        answer: models.Operation = self._json(routes.OPERATIONS__GET, (operation_id, ), None, {"wait": wait, "expand": expand}, options, models.Operation)
        return answer

    def cancel(self, operation_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Operation:
        """Cancels an operation that has not ended. Roles: admin, operator, agent."""
        answer: models.Operation = self._json(routes.OPERATIONS__CANCEL, (operation_id, ), body, {}, options, models.Operation)
        return answer

    def resolve(self, operation_id: str, body: models.ResolveOperationRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Operation:
        """Resolves an ambiguous operation; nobody resolves their own call. Roles: admin, operator."""
        answer: models.Operation = self._json(routes.OPERATIONS__RESOLVE, (operation_id, ), body, {}, options, models.Operation)
        return answer

    def list_requests(self, operation_id: str, /, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.EgressRequestPage, models.EgressRequest]:
        """Lists the outgoing requests of a call, in order: target, verdict and bytes. Roles: admin, operator, agent, auditor."""
        return self._list(routes.OPERATIONS__LIST_REQUESTS, (operation_id, ), None, {"cursor": cursor, "limit": limit}, options, models.EgressRequestPage)

    def get_output(self, operation_id: str, /, *, stream: models.ReadOutputStream | None = None, follow: models.ReadOutputFollow | None = None, for_ms: int | None = None, options: RequestOptions | None = None) -> Download:
        """Returns the full output of a command while it is stored, byte for byte except for secrets; `Writ-Output-Cut` tells whether it is truncated. Roles: admin, operator, agent, auditor."""
        return self._download(routes.OPERATIONS__GET_OUTPUT, (operation_id, ), None, {"stream": stream, "follow": follow, "for_ms": for_ms}, options)

    def explain(self, operation_id: str, /, *, options: RequestOptions | None = None) -> models.OperationExplanation:
        """Explains the decision: its policy set, its rules, and whether the set in force decides the same. Roles: admin, operator, auditor."""
        answer: models.OperationExplanation = self._json(routes.OPERATIONS__EXPLAIN, (operation_id, ), None, {}, options, models.OperationExplanation)
        return answer

    def get_receipt(self, operation_id: str, /, *, phase: models.ReadReceiptPhase | None = None, options: RequestOptions | None = None) -> Download:
        """Returns the receipt of the outcome, else of the last decision. Roles: admin, operator, agent, auditor."""
        return self._download(routes.OPERATIONS__GET_RECEIPT, (operation_id, ), None, {"phase": phase}, options)


class PermitsApi(Group):
    def take(self, body: Mapping[str, Any] | None = None, /, *, wait: int | None = None, options: RequestOptions | None = None) -> models.TakenPermit:
        """Takes a permit for the next waiting call of the worker's tools; with `wait`, waits for one. Roles: worker."""
        answer: models.TakenPermit = self._json(routes.PERMITS__TAKE, (), body, {"wait": wait}, options, models.TakenPermit)
        return answer

    def take_own(self, body: models.TakeOwnPermitRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.TakenPermit:
        """Takes the permit for a call that its proposer runs. Roles: agent."""
        answer: models.TakenPermit = self._json(routes.PERMITS__TAKE_OWN, (), body, {}, options, models.TakenPermit)
        return answer

    def redeem(self, body: models.PermitProof | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.RedeemedPermit:
        """Redeems a permit, once: from then on the function may have taken effect. Roles: agent, worker."""
        answer: models.RedeemedPermit = self._json(routes.PERMITS__REDEEM, (), body, {}, options, models.RedeemedPermit)
        return answer

    def renew_lease(self, body: models.PermitProof | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.RenewedLease:
        """Extends the lease of an attempt. Roles: agent, worker."""
        answer: models.RenewedLease = self._json(routes.PERMITS__RENEW_LEASE, (), body, {}, options, models.RenewedLease)
        return answer

    def report_function(self, body: models.ReportFunctionRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.FunctionReported:
        """Reports what became of a call, as the claim of who ran it. Roles: agent, worker."""
        answer: models.FunctionReported = self._json(routes.PERMITS__REPORT_FUNCTION, (), body, {}, options, models.FunctionReported)
        return answer


class PersonsApi(Group):
    def find(self, *, principal: str | None = None, issuer: str | None = None, subject: str | None = None, options: RequestOptions | None = None) -> models.Person:
        """Finds the pseudonym of a person: by name, or by issuer and subject. Roles: admin, auditor."""
        answer: models.Person = self._json(routes.PERSONS__FIND, (), None, {"principal": principal, "issuer": issuer, "subject": subject}, options, models.Person)
        return answer

    def forget(self, person_id: str, /, *, options: RequestOptions | None = None) -> models.PersonForgotten:
        """Unlinks a pseudonym: nobody can tell any more whose calls and records have it. Roles: admin."""
        answer: models.PersonForgotten = self._json(routes.PERSONS__FORGET, (person_id, ), None, {}, options, models.PersonForgotten)
        return answer


class PoliciesApi(Group):
    def simulate(self, body: models.SimulatePolicyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Simulation:
        """Evaluates a call without deciding, reserving or recording anything. Roles: admin, operator, auditor."""
        answer: models.Simulation = self._json(routes.POLICIES__SIMULATE, (), body, {}, options, models.Simulation)
        return answer

    def backtest(self, body: models.BacktestPolicyRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Backtest:
        """Evaluates a set on recorded calls, page by page, and lists decisions that would differ; the page is signed. Roles: admin, operator, auditor."""
        answer: models.Backtest = self._json(routes.POLICIES__BACKTEST, (), body, {}, options, models.Backtest)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.PolicyPage, models.PolicySet]:
        """Lists the policy sets: the one in force, the shipped ones, and the tenant's own. Roles: admin, operator, auditor."""
        return self._list(routes.POLICIES__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.PolicyPage)

    def put(self, body: models.PutPolicyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.PolicyPut:
        """Validates and stores a policy set; it has no effect before it is activated. Roles: admin."""
        answer: models.PolicyPut = self._json(routes.POLICIES__PUT, (), body, {}, options, models.PolicyPut)
        return answer

    def get_schema(self, *, options: RequestOptions | None = None) -> models.PolicySchema:
        """Returns the schemas of policy sets. Roles: admin, operator, auditor."""
        answer: models.PolicySchema = self._json(routes.POLICIES__GET_SCHEMA, (), None, {}, options, models.PolicySchema)
        return answer

    def list_templates(self, *, options: RequestOptions | None = None) -> models.PolicyTemplateList:
        """Lists rules for common cases, to be filled in. Roles: admin, operator, auditor."""
        answer: models.PolicyTemplateList = self._json(routes.POLICIES__LIST_TEMPLATES, (), None, {}, options, models.PolicyTemplateList)
        return answer

    def list_activations(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.PolicyActivationList, models.PolicyActivation]:
        """Lists which sets were in force, newest first. Roles: admin, operator, auditor."""
        return self._list(routes.POLICIES__LIST_ACTIVATIONS, (), None, {"cursor": cursor, "limit": limit}, options, models.PolicyActivationList)

    def diff(self, *, from_: str | None = None, to: str | None = None, options: RequestOptions | None = None) -> models.PolicyDiff:
        """Compares two sets, rule by rule; each defaults to the one in force. Roles: admin, operator, auditor."""
        answer: models.PolicyDiff = self._json(routes.POLICIES__DIFF, (), None, {"from": from_, "to": to}, options, models.PolicyDiff)
        return answer

    def activate(self, body: models.ActivatePolicyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.PolicyActivation:
        """Activates a set for every decision from now on. Roles: admin."""
        answer: models.PolicyActivation = self._json(routes.POLICIES__ACTIVATE, (), body, {}, options, models.PolicyActivation)
        return answer

    def roll_back(self, body: models.RollBackPolicyRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.PolicyActivation:
        """Activates the previous set again. Roles: admin."""
        answer: models.PolicyActivation = self._json(routes.POLICIES__ROLL_BACK, (), body, {}, options, models.PolicyActivation)
        return answer

    def get(self, policy: str, /, *, options: RequestOptions | None = None) -> models.PolicySetWhole:
        """Shows a policy set: by its hash, its name or `name@version`; `active`: the one in force. Roles: admin, operator, auditor."""
        answer: models.PolicySetWhole = self._json(routes.POLICIES__GET, (policy, ), None, {}, options, models.PolicySetWhole)
        return answer


class PromptsApi(Group):
    def get(self, *, dialect: models.Dialect, capability_token_id: str, workspace_id: str | None = None, options: RequestOptions | None = None) -> models.Prompt:
        """Returns the system prompt that a session with a token begins with, in a dialect. Roles: admin, operator, agent, auditor."""
        answer: models.Prompt = self._json(routes.PROMPTS__GET, (), None, {"dialect": dialect, "capability_token_id": capability_token_id, "workspace_id": workspace_id}, options, models.Prompt)
        return answer


class RecordsApi(Group):
    def list(self, *, agent: str | None = None, tool: str | None = None, session: str | None = None, operation: str | None = None, type: models.ListRecordsType | None = None, verdict: models.Verdict | None = None, outcome: models.TxOutcome | None = None, risk_min: float | None = None, risk_max: float | None = None, since: str | None = None, until: str | None = None, resource: str | None = None, text: str | None = None, order: models.ListRecordsOrder | None = None, limit: int | None = None, cursor: str | None = None, options: RequestOptions | None = None) -> Listed[models.RecordPage, models.RecordPageItem]:
        """Searches records; all pages show the index as it was when the first page was read. Roles: admin, operator, auditor."""
        return self._list(routes.RECORDS__LIST, (), None, {"agent": agent, "tool": tool, "session": session, "operation": operation, "type": type, "verdict": verdict, "outcome": outcome, "risk_min": risk_min, "risk_max": risk_max, "since": since, "until": until, "resource": resource, "text": text, "order": order, "limit": limit, "cursor": cursor}, options, models.RecordPage)

    def get(self, leaf_index: int, /, *, options: RequestOptions | None = None) -> models.RecordEntry:
        """Shows a signed record by its leaf index in the log. Roles: admin, operator, auditor."""
        answer: models.RecordEntry = self._json(routes.RECORDS__GET, (leaf_index, ), None, {}, options, models.RecordEntry)
        return answer

    def get_receipt(self, leaf_index: int, /, *, options: RequestOptions | None = None) -> Download:
        """Returns the receipt of a record of any kind. Roles: admin, operator, auditor."""
        return self._download(routes.RECORDS__GET_RECEIPT, (leaf_index, ), None, {}, options)


class RegistrarKeysApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.RegistrarKeyList, models.RegistrarKey]:
        """Lists the public keys of registrars, who sign sandboxes, newest first. Roles: admin, operator, auditor."""
        return self._list(routes.REGISTRAR_KEYS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.RegistrarKeyList)

    def add(self, body: models.AddRegistrarKeyRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.RegistrarKey:
        """Adds a registrar's public key: signatures by its private key are accepted from then on. Roles: admin."""
        answer: models.RegistrarKey = self._json(routes.REGISTRAR_KEYS__ADD, (), body, {}, options, models.RegistrarKey)
        return answer

    def retire(self, keyid: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.RegistrarKey:
        """Retires a registrar's key: its signatures stay valid, and new ones are refused. Roles: admin."""
        answer: models.RegistrarKey = self._json(routes.REGISTRAR_KEYS__RETIRE, (keyid, ), body, {}, options, models.RegistrarKey)
        return answer

    def revoke(self, keyid: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.RegistrarKey:
        """Revokes a registrar's key: nothing runs in a sandbox that it signed until another key signs it. Roles: admin."""
        answer: models.RegistrarKey = self._json(routes.REGISTRAR_KEYS__REVOKE, (keyid, ), body, {}, options, models.RegistrarKey)
        return answer


class ResourceGrantsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, kind: models.ResourceKind | None = None, resource_id: str | None = None, agent_id: str | None = None, options: RequestOptions | None = None) -> Listed[models.ResourceGrantList, models.ResourceGrant]:
        """Lists the grants of resources to agents. Roles: admin, operator, auditor."""
        return self._list(routes.RESOURCE_GRANTS__LIST, (), None, {"cursor": cursor, "limit": limit, "kind": kind, "resource_id": resource_id, "agent_id": agent_id}, options, models.ResourceGrantList)

    def set(self, body: models.SetResourceGrantRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.ResourceGrant:
        """Grants a resource, or a whole kind, to an agent or to every agent; or changes the clearance. Roles: admin."""
        answer: models.ResourceGrant = self._json(routes.RESOURCE_GRANTS__SET, (), body, {}, options, models.ResourceGrant)
        return answer

    def get(self, resource_grant_id: str, /, *, options: RequestOptions | None = None) -> models.ResourceGrant:
        """Shows one grant of a resource to agents. Roles: admin, operator, auditor."""
        answer: models.ResourceGrant = self._json(routes.RESOURCE_GRANTS__GET, (resource_grant_id, ), None, {}, options, models.ResourceGrant)
        return answer

    def delete(self, resource_grant_id: str, /, *, options: RequestOptions | None = None) -> models.ResourceGrant:
        """Takes a grant back: no call is decided under it from then on. Roles: admin."""
        answer: models.ResourceGrant = self._json(routes.RESOURCE_GRANTS__DELETE, (resource_grant_id, ), None, {}, options, models.ResourceGrant)
        return answer


class ResourcesApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, kind: models.ResourceKind | None = None, name: str | None = None, agent_id: str | None = None, options: RequestOptions | None = None) -> Listed[models.ResourceList, models.Resource]:
        """Lists the registered resources; for an agent's key those that the agent may use, without settings. Roles: admin, operator, agent, auditor."""
        return self._list(routes.RESOURCES__LIST, (), None, {"cursor": cursor, "limit": limit, "kind": kind, "name": name, "agent_id": agent_id}, options, models.ResourceList)

    def create(self, body: models.NewResource | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Resource:
        """Registers a resource with its settings. Roles: admin."""
        answer: models.Resource = self._json(routes.RESOURCES__CREATE, (), body, {}, options, models.Resource)
        return answer

    def get(self, resource_id: str, /, *, options: RequestOptions | None = None) -> models.Resource:
        """Shows one resource; to an agent's key only what the agent may use, without settings. Roles: admin, operator, agent, auditor."""
        answer: models.Resource = self._json(routes.RESOURCES__GET, (resource_id, ), None, {}, options, models.Resource)
        return answer

    def update(self, resource_id: str, body: models.UpdateResourceRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Resource:
        """Replaces the settings of a resource, if it still has the expected version; its grants stay. Roles: admin."""
        answer: models.Resource = self._json(routes.RESOURCES__UPDATE, (resource_id, ), body, {}, options, models.Resource)
        return answer

    def delete(self, resource_id: str, /, *, options: RequestOptions | None = None) -> models.Resource:
        """Removes a resource and its grants: no call uses it from then on. Roles: admin."""
        answer: models.Resource = self._json(routes.RESOURCES__DELETE, (resource_id, ), None, {}, options, models.Resource)
        return answer


class RetentionApi(Group):
    def get(self, *, options: RequestOptions | None = None) -> models.Retention:
        """Shows the retention periods and modes of the tenant. Roles: admin, operator, auditor."""
        answer: models.Retention = self._json(routes.RETENTION__GET, (), None, {}, options, models.Retention)
        return answer

    def set(self, body: models.SetRetentionRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Retention:
        """Sets the retention periods and modes of the tenant; contents older than that are erased within the hour. Roles: admin."""
        answer: models.Retention = self._json(routes.RETENTION__SET, (), body, {}, options, models.Retention)
        return answer


class RunsApi(Group):
    def get(self, run_id: str, /, *, expand: str | None = None, options: RequestOptions | None = None) -> models.Run:
        """Shows a run with its current state. Roles: admin, operator, agent, auditor."""
        answer: models.Run = self._json(routes.RUNS__GET, (run_id, ), None, {"expand": expand}, options, models.Run)
        return answer

    def follow(self, run_id: str, /, *, after: int | None = None, for_ms: int | None = None, options: RequestOptions | None = None) -> Events:
        """Streams a run: its stored events, with `seq` as the event's id, then text and calls as they arrive; `Last-Event-ID` resumes after an event. Roles: admin, operator, agent, auditor."""
        return self._events(routes.RUNS__FOLLOW, (run_id, ), None, {"after": after, "for_ms": for_ms}, options)

    def cancel(self, run_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Run:
        """Cancels a run and its calls that have not ended; a run that has ended stays as it is. Roles: admin, operator, agent."""
        answer: models.Run = self._json(routes.RUNS__CANCEL, (run_id, ), body, {}, options, models.Run)
        return answer

    def fork(self, run_id: str, body: models.ForkRunRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Session:
        """Creates a session that begins with the conversation up to an event of a run; files are those of the workspace now. Roles: admin, agent."""
        answer: models.Session = self._json(routes.RUNS__FORK, (run_id, ), body, {}, options, models.Session)
        return answer

    def replay(self, run_id: str, body: models.ReplayRunRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.RunReplay:
        """Evaluates a set on the calls of a run and its sub-agents, page by page: which decisions would differ, and where the conversation would have diverged; nothing is executed, decided or recorded. Roles: admin, operator."""
        answer: models.RunReplay = self._json(routes.RUNS__REPLAY, (run_id, ), body, {}, options, models.RunReplay)
        return answer


class SandboxesApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.SandboxList, models.Sandbox]:
        """Lists the sandboxes of mk8.shell, by name. Roles: admin, operator, auditor."""
        return self._list(routes.SANDBOXES__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.SandboxList)

    def put(self, body: models.PutSandboxRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.SandboxPut:
        """Registers or changes a sandbox of mk8.shell; a changed sandbox has to be signed again. Roles: admin."""
        answer: models.SandboxPut = self._json(routes.SANDBOXES__PUT, (), body, {}, options, models.SandboxPut)
        return answer

    def get(self, sandbox: str, /, *, options: RequestOptions | None = None) -> models.SandboxWhole:
        """Shows one sandbox of mk8.shell, its signed environment, and whether scripts run in it. Roles: admin, operator, auditor."""
        answer: models.SandboxWhole = self._json(routes.SANDBOXES__GET, (sandbox, ), None, {}, options, models.SandboxWhole)
        return answer

    def delete(self, sandbox: str, /, *, options: RequestOptions | None = None) -> models.Removed:
        """Removes a sandbox of mk8.shell: no script runs in it from then on. Roles: admin."""
        answer: models.Removed = self._json(routes.SANDBOXES__DELETE, (sandbox, ), None, {}, options, models.Removed)
        return answer

    def sign(self, sandbox: str, body: models.SignSandboxRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.SandboxWhole:
        """Stores a registrar's signature of the current sandbox and its environment. Roles: admin."""
        answer: models.SandboxWhole = self._json(routes.SANDBOXES__SIGN, (sandbox, ), body, {}, options, models.SandboxWhole)
        return answer


class SecretsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.SecretList, models.Secret]:
        """Lists the tenant's secrets by name, without their values. Roles: admin, operator, auditor."""
        return self._list(routes.SECRETS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.SecretList)

    def set(self, body: models.SetSecretRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Secret:
        """Sets the value of a secret: calls use it by its name, and no route returns it. Roles: admin."""
        answer: models.Secret = self._json(routes.SECRETS__SET, (), body, {}, options, models.Secret)
        return answer

    def get(self, name: str, /, *, options: RequestOptions | None = None) -> models.Secret:
        """Shows one secret without its value: its version, and who set it. Roles: admin, operator, auditor."""
        answer: models.Secret = self._json(routes.SECRETS__GET, (name, ), None, {}, options, models.Secret)
        return answer

    def delete(self, name: str, /, *, options: RequestOptions | None = None) -> models.Secret:
        """Removes a secret: no call receives it from then on. Roles: admin."""
        answer: models.Secret = self._json(routes.SECRETS__DELETE, (name, ), None, {}, options, models.Secret)
        return answer


class SessionsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, workspace_id: str | None = None, run_id: str | None = None, options: RequestOptions | None = None) -> Listed[models.SessionList, models.Session]:
        """Lists sessions, newest first; an agent's key sees its own. Roles: admin, operator, agent, auditor."""
        return self._list(routes.SESSIONS__LIST, (), None, {"cursor": cursor, "limit": limit, "workspace_id": workspace_id, "run_id": run_id}, options, models.SessionList)

    def create(self, body: models.CreateSessionRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Session:
        """Creates a session: a conversation of an agent in a workspace, under a capability token. Roles: admin, agent."""
        answer: models.Session = self._json(routes.SESSIONS__CREATE, (), body, {}, options, models.Session)
        return answer

    def list_runs(self, session_id: str, /, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.RunList, models.Run]:
        """Lists the runs of a session, newest first. Roles: admin, operator, agent, auditor."""
        return self._list(routes.SESSIONS__LIST_RUNS, (session_id, ), None, {"cursor": cursor, "limit": limit}, options, models.RunList)

    def start_run(self, session_id: str, body: models.StartRunRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Run:
        """Starts a run: a task for the agent; runs of one session execute one after another. Roles: admin, agent."""
        answer: models.Run = self._json(routes.SESSIONS__START_RUN, (session_id, ), body, {}, options, models.Run)
        return answer

    def export_transcript(self, session_id: str, /, *, options: RequestOptions | None = None) -> models.Transcript:
        """Returns the transcript of a session, run by run. Roles: admin, operator, agent, auditor."""
        answer: models.Transcript = self._json(routes.SESSIONS__EXPORT_TRANSCRIPT, (session_id, ), None, {}, options, models.Transcript)
        return answer

    def export_transcript_lines(self, session_id: str, /, *, options: RequestOptions | None = None) -> Download:
        """Returns the transcript as lines, without a length limit: the session, each run with its events, and an end line that marks completeness. Roles: admin, operator, agent, auditor."""
        return self._download(routes.SESSIONS__EXPORT_TRANSCRIPT_LINES, (session_id, ), None, {}, options)

    def get(self, session_id: str, /, *, options: RequestOptions | None = None) -> models.Session:
        """Shows a session. Roles: admin, operator, agent, auditor."""
        answer: models.Session = self._json(routes.SESSIONS__GET, (session_id, ), None, {}, options, models.Session)
        return answer

    def delete(self, session_id: str, /, *, options: RequestOptions | None = None) -> models.Session:
        """Deletes a session with its runs and texts, and records that; its calls and their receipts remain. Roles: admin."""
        answer: models.Session = self._json(routes.SESSIONS__DELETE, (session_id, ), None, {}, options, models.Session)
        return answer


class SignInApi(Group):
    def get(self, *, options: RequestOptions | None = None) -> models.ReadSignInAnswer:
        """Reads the session of this request, and the token that its changes need. Roles: admin, operator, agent, auditor."""
        answer: models.ReadSignInAnswer = self._json(routes.SIGN_IN__GET, (), None, {}, options, models.ReadSignInAnswer)
        return answer


class SignInsApi(Group):
    def list_own(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.SignInList, models.SignIn]:
        """Lists the sessions of the caller's person. Roles: admin, operator, agent, auditor."""
        return self._list(routes.SIGN_INS__LIST_OWN, (), None, {"cursor": cursor, "limit": limit}, options, models.SignInList)

    def end_own(self, sign_in_id: str, /, *, options: RequestOptions | None = None) -> models.SignIn:
        """Ends a session of the caller's person within a second. Roles: admin, operator, agent, auditor."""
        answer: models.SignIn = self._json(routes.SIGN_INS__END_OWN, (sign_in_id, ), None, {}, options, models.SignIn)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.SignInList, models.SignIn]:
        """Lists the sessions of all people. Roles: admin, auditor."""
        return self._list(routes.SIGN_INS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.SignInList)

    def end(self, sign_in_id: str, /, *, options: RequestOptions | None = None) -> models.SignIn:
        """Ends a session of anybody within a second. Roles: admin."""
        answer: models.SignIn = self._json(routes.SIGN_INS__END, (sign_in_id, ), None, {}, options, models.SignIn)
        return answer


class SignOutApi(Group):
    def sign_out(self, *, options: RequestOptions | None = None) -> models.SignOutAnswer:
        """Ends the session of this request. Roles: admin, operator, agent, auditor."""
        answer: models.SignOutAnswer = self._json(routes.SIGN_OUT__SIGN_OUT, (), None, {}, options, models.SignOutAnswer)
        return answer


class SkillsApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.SkillList, models.Skill]:
        """Lists the skills that agents read, by name. Roles: admin, operator, auditor."""
        return self._list(routes.SKILLS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.SkillList)

    def put(self, body: models.PutSkillRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.SkillPut:
        """Uploads a folder with a `SKILL.md` as the newest version of its skill; identical contents keep the same version. Roles: admin."""
        answer: models.SkillPut = self._json(routes.SKILLS__PUT, (), body, {}, options, models.SkillPut)
        return answer

    def get(self, skill: str, /, *, options: RequestOptions | None = None) -> models.SkillWhole:
        """Shows one skill, with the files of its newest version and its stored versions. Roles: admin, operator, auditor."""
        answer: models.SkillWhole = self._json(routes.SKILLS__GET, (skill, ), None, {}, options, models.SkillWhole)
        return answer

    def delete(self, skill: str, /, *, options: RequestOptions | None = None) -> models.Removed:
        """Removes a skill with all of its versions: no call reads it from then on. Roles: admin."""
        answer: models.Removed = self._json(routes.SKILLS__DELETE, (skill, ), None, {}, options, models.Removed)
        return answer


class SystemApi(Group):
    def get_system(self, *, options: RequestOptions | None = None) -> models.ReadSystemAnswer:
        """Reports versions, clocks, durability, connections, waiting records, executors and migrations. Roles: the platform key alone."""
        answer: models.ReadSystemAnswer = self._json(routes.SYSTEM__GET_SYSTEM, (), None, {}, options, models.ReadSystemAnswer)
        return answer

    def get_health(self, *, options: RequestOptions | None = None) -> models.Health:
        """Reports that the process is alive. Needs no key."""
        answer: models.Health = self._json(routes.SYSTEM__GET_HEALTH, (), None, {}, options, models.Health)
        return answer

    def get_readiness(self, *, options: RequestOptions | None = None) -> models.Readiness:
        """Reports whether the process is ready. Needs no key."""
        answer: models.Readiness = self._json(routes.SYSTEM__GET_READINESS, (), None, {}, options, models.Readiness)
        return answer

    def get_document(self, *, options: RequestOptions | None = None) -> dict[str, Any]:
        """Returns this document. Needs no key."""
        answer: dict[str, Any] = self._json(routes.SYSTEM__GET_DOCUMENT, (), None, {}, options, dict[str, Any])
        return answer

    def get_public_keys(self, *, options: RequestOptions | None = None) -> models.PublicKeys:
        """Returns the public keys that verify receipts. Needs no key."""
        answer: models.PublicKeys = self._json(routes.SYSTEM__GET_PUBLIC_KEYS, (), None, {}, options, models.PublicKeys)
        return answer

    def get_protected_resource(self, *, options: RequestOptions | None = None) -> models.ProtectedResource:
        """Returns what an OAuth client needs to get an access token for the API (RFC 9728). Needs no key."""
        answer: models.ProtectedResource = self._json(routes.SYSTEM__GET_PROTECTED_RESOURCE, (), None, {}, options, models.ProtectedResource)
        return answer

    def get_protected_mcp_resource(self, *, options: RequestOptions | None = None) -> models.ProtectedResource:
        """Returns what an OAuth client needs to get an access token for `/mcp` alone (RFC 9728). Needs no key."""
        answer: models.ProtectedResource = self._json(routes.SYSTEM__GET_PROTECTED_MCP_RESOURCE, (), None, {}, options, models.ProtectedResource)
        return answer


class TenantsApi(Group):
    def create(self, body: models.NewName | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.NewTenant:
        """Creates a tenant and its first administrator's key. Roles: the platform key alone."""
        answer: models.NewTenant = self._json(routes.TENANTS__CREATE, (), body, {}, options, models.NewTenant)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, open: bool | None = None, options: RequestOptions | None = None) -> Listed[models.TenantList, models.Tenant]:
        """Lists tenants, newest first. Roles: the platform key alone."""
        return self._list(routes.TENANTS__LIST, (), None, {"cursor": cursor, "limit": limit, "open": open}, options, models.TenantList)

    def get(self, tenant_id: str, /, *, options: RequestOptions | None = None) -> models.Tenant:
        """Shows a tenant. Roles: the platform key alone."""
        answer: models.Tenant = self._json(routes.TENANTS__GET, (tenant_id, ), None, {}, options, models.Tenant)
        return answer

    def close(self, tenant_id: str, body: models.CloseTenantRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Tenant:
        """Closes a tenant for ever: nothing is admitted, open calls end, its keys are revoked, its records stay. Roles: the platform key alone."""
        answer: models.Tenant = self._json(routes.TENANTS__CLOSE, (tenant_id, ), body, {}, options, models.Tenant)
        return answer

    def list_records_of_closed(self, tenant_id: str, /, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.RecordPage, models.RecordPageItem]:
        """Lists the records of a closed tenant, newest first. Roles: the platform key alone."""
        return self._list(routes.TENANTS__LIST_RECORDS_OF_CLOSED, (tenant_id, ), None, {"cursor": cursor, "limit": limit}, options, models.RecordPage)

    def get_receipt_of_closed(self, tenant_id: str, leaf_index: int, /, *, options: RequestOptions | None = None) -> Download:
        """Returns the receipt of a record of a closed tenant. Roles: the platform key alone."""
        return self._download(routes.TENANTS__GET_RECEIPT_OF_CLOSED, (tenant_id, leaf_index, ), None, {}, options)

    def get_limits(self, tenant_id: str, /, *, options: RequestOptions | None = None) -> models.TenantLimits:
        """Shows the limits of a tenant, and the usage of its workspaces. Roles: the platform key alone."""
        answer: models.TenantLimits = self._json(routes.TENANTS__GET_LIMITS, (tenant_id, ), None, {}, options, models.TenantLimits)
        return answer

    def set_limits(self, tenant_id: str, body: models.SetTenantLimitsRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.TenantLimits:
        """Sets limits of a tenant; omitted ones stay. Rates take effect everywhere within a second, the rest at once. Roles: the platform key alone."""
        answer: models.TenantLimits = self._json(routes.TENANTS__SET_LIMITS, (tenant_id, ), body, {}, options, models.TenantLimits)
        return answer

    def put_identity_provider(self, tenant_id: str, body: models.PutTenantIdentityProviderRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.IdentityProvider:
        """Registers an OAuth issuer for a tenant, or changes it, without a token of the issuer. Roles: the platform key alone."""
        answer: models.IdentityProvider = self._json(routes.TENANTS__PUT_IDENTITY_PROVIDER, (tenant_id, ), body, {}, options, models.IdentityProvider)
        return answer


class ToolCallsApi(Group):
    def propose(self, body: models.ToolCall | Mapping[str, Any], /, *, wait: int | None = None, options: RequestOptions | None = None) -> models.ToolResult | models.Operation:
        """Proposes a tool call and waits for its end. Roles: admin, agent."""
        answer: models.ToolResult | models.Operation = self._json(routes.TOOL_CALLS__PROPOSE, (), body, {"wait": wait}, options, Union[models.ToolResult, models.Operation])
        return answer


class ToolsApi(Group):
    def list(self, *, options: RequestOptions | None = None) -> models.ToolList:
        """Lists the tools with their parameters: Writ's own and the tenant's. Roles: admin, operator, agent, auditor."""
        answer: models.ToolList = self._json(routes.TOOLS__LIST, (), None, {}, options, models.ToolList)
        return answer

    def apply(self, body: models.ApplyToolsRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.ToolsApplied:
        """Registers programs and functions as tools, all of the request or none. Roles: admin."""
        answer: models.ToolsApplied = self._json(routes.TOOLS__APPLY, (), body, {}, options, models.ToolsApplied)
        return answer

    def get(self, tool_id: str, /, *, options: RequestOptions | None = None) -> models.Tool:
        """Shows one tool. Roles: admin, operator, agent, auditor."""
        answer: models.Tool = self._json(routes.TOOLS__GET, (tool_id, ), None, {}, options, models.Tool)
        return answer

    def delete(self, tool_id: str, /, *, options: RequestOptions | None = None) -> models.Removed:
        """Removes a tool of the tenant: admitted calls of it that have not begun do not run. Roles: admin."""
        answer: models.Removed = self._json(routes.TOOLS__DELETE, (tool_id, ), None, {}, options, models.Removed)
        return answer

    def import_open_api(self, body: models.ImportOpenApiRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.ApiImported:
        """Makes tools of the operations of an OpenAPI document, and registers all of them or none. Roles: admin."""
        answer: models.ApiImported = self._json(routes.TOOLS__IMPORT_OPEN_API, (), body, {}, options, models.ApiImported)
        return answer


class TurnsApi(Group):
    def run(self, body: models.RunTurnRequest | Mapping[str, Any], /, *, wait: int | None = None, options: RequestOptions | None = None) -> models.Turn:
        """Parses the output of a model, runs its calls, and returns their results in its dialect. Roles: admin, agent."""
        answer: models.Turn = self._json(routes.TURNS__RUN, (), body, {"wait": wait}, options, models.Turn)
        return answer


class UsageApi(Group):
    def get_call(self, *, from_: str | None = None, to: str | None = None, by: str | None = None, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.CallUsage, models.CallUsageItem]:
        """Counts calls by day, agent, person, API key, tool and outcome. Roles: admin, operator, auditor."""
        return self._list(routes.USAGE__GET_CALL, (), None, {"from": from_, "to": to, "by": by, "cursor": cursor, "limit": limit}, options, models.CallUsage)

    def get(self, *, from_: int | None = None, to: int | None = None, by: models.UsageBy | None = None, options: RequestOptions | None = None) -> models.Usage:
        """Sums tokens and costs of runs that were requested in a period, by model and by session, agent or day; includes deleted sessions. Roles: admin, operator, auditor."""
        answer: models.Usage = self._json(routes.USAGE__GET, (), None, {"from": from_, "to": to, "by": by}, options, models.Usage)
        return answer


class WebhooksApi(Group):
    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.WebhookList, models.Webhook]:
        """Lists the webhooks. Roles: admin, operator, auditor."""
        return self._list(routes.WEBHOOKS__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.WebhookList)

    def create(self, body: models.CreateWebhookRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.NewWebhook:
        """Creates a webhook; its secret is shown once. Roles: admin."""
        answer: models.NewWebhook = self._json(routes.WEBHOOKS__CREATE, (), body, {}, options, models.NewWebhook)
        return answer

    def rotate_secret(self, webhook_id: str, body: models.RotateWebhookSecretRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.NewWebhook:
        """Creates a new secret; for a time messages are also signed with the old one. Roles: admin."""
        answer: models.NewWebhook = self._json(routes.WEBHOOKS__ROTATE_SECRET, (webhook_id, ), body, {}, options, models.NewWebhook)
        return answer

    def ping(self, webhook_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Delivery:
        """Sends a message of the kind `webhook.ping`. Roles: admin, operator."""
        answer: models.Delivery = self._json(routes.WEBHOOKS__PING, (webhook_id, ), body, {}, options, models.Delivery)
        return answer

    def list_deliveries(self, webhook_id: str, /, *, cursor: str | None = None, limit: int | None = None, state: models.DeliveryState | None = None, options: RequestOptions | None = None) -> Listed[models.DeliveryList, models.Delivery]:
        """Lists finished and pending deliveries, newest first. Roles: admin, operator, auditor."""
        return self._list(routes.WEBHOOKS__LIST_DELIVERIES, (webhook_id, ), None, {"cursor": cursor, "limit": limit, "state": state}, options, models.DeliveryList)

    def redeliver(self, webhook_id: str, delivery_id: str, body: Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.Delivery:
        """Sends a message again, with the same id. Roles: admin, operator."""
        answer: models.Delivery = self._json(routes.WEBHOOKS__REDELIVER, (webhook_id, delivery_id, ), body, {}, options, models.Delivery)
        return answer

    def get(self, webhook_id: str, /, *, options: RequestOptions | None = None) -> models.Webhook:
        """Shows a webhook. Roles: admin, operator, auditor."""
        answer: models.Webhook = self._json(routes.WEBHOOKS__GET, (webhook_id, ), None, {}, options, models.Webhook)
        return answer

    def change(self, webhook_id: str, body: models.ChangeWebhookRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Webhook:
        """Changes a webhook, disables it or enables it again. Roles: admin."""
        answer: models.Webhook = self._json(routes.WEBHOOKS__CHANGE, (webhook_id, ), body, {}, options, models.Webhook)
        return answer

    def delete(self, webhook_id: str, /, *, options: RequestOptions | None = None) -> models.Webhook:
        """Deletes a webhook with its pending deliveries. Roles: admin."""
        answer: models.Webhook = self._json(routes.WEBHOOKS__DELETE, (webhook_id, ), None, {}, options, models.Webhook)
        return answer


class WhoamiApi(Group):
    def whoami(self, *, options: RequestOptions | None = None) -> models.Whoami:
        """Says who makes the request: the tenant, the role, the person, and how long what it presents is good. Roles: admin, operator, agent, auditor, worker, the platform key."""
        answer: models.Whoami = self._json(routes.WHOAMI__WHOAMI, (), None, {}, options, models.Whoami)
        return answer


class WorkspacesApi(Group):
    def create(self, body: models.NewName | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Workspace:
        """Creates an empty workspace. Roles: admin, operator."""
        answer: models.Workspace = self._json(routes.WORKSPACES__CREATE, (), body, {}, options, models.Workspace)
        return answer

    def list(self, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.WorkspaceList, models.Workspace]:
        """Lists the workspaces. Roles: admin, operator, agent, auditor."""
        return self._list(routes.WORKSPACES__LIST, (), None, {"cursor": cursor, "limit": limit}, options, models.WorkspaceList)

    def get(self, workspace_id: str, /, *, options: RequestOptions | None = None) -> models.Workspace:
        """Shows a workspace and its head. Roles: admin, operator, agent, auditor."""
        answer: models.Workspace = self._json(routes.WORKSPACES__GET, (workspace_id, ), None, {}, options, models.Workspace)
        return answer

    def get_limits(self, workspace_id: str, /, *, options: RequestOptions | None = None) -> models.WorkspaceLimits:
        """Shows the limits of a workspace, and its usage. Roles: admin, operator, agent, auditor."""
        answer: models.WorkspaceLimits = self._json(routes.WORKSPACES__GET_LIMITS, (workspace_id, ), None, {}, options, models.WorkspaceLimits)
        return answer

    def set_limits(self, workspace_id: str, body: models.SetWorkspaceLimitsRequest | Mapping[str, Any] | None = None, /, *, options: RequestOptions | None = None) -> models.WorkspaceLimits:
        """Sets the limits of a workspace; omitted ones stay, and null means no limit. Roles: admin."""
        answer: models.WorkspaceLimits = self._json(routes.WORKSPACES__SET_LIMITS, (workspace_id, ), body, {}, options, models.WorkspaceLimits)
        return answer

    def get_tree(self, workspace_id: str, /, *, path: str | None = None, at: str | None = None, depth: int | None = None, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> models.Tree:
        """Lists the entries below a directory, each directory before its content. Roles: admin, operator, auditor."""
        answer: models.Tree = self._json(routes.WORKSPACES__GET_TREE, (workspace_id, ), None, {"path": path, "at": at, "depth": depth, "cursor": cursor, "limit": limit}, options, models.Tree)
        return answer

    def get_history(self, workspace_id: str, /, *, cursor: str | None = None, limit: int | None = None, options: RequestOptions | None = None) -> Listed[models.SnapshotList, models.Snapshot]:
        """Lists earlier heads of a workspace, newest first. Roles: admin, operator, auditor."""
        return self._list(routes.WORKSPACES__GET_HISTORY, (workspace_id, ), None, {"cursor": cursor, "limit": limit}, options, models.SnapshotList)

    def get_diff(self, workspace_id: str, /, *, from_: str, to: str | None = None, path: str | None = None, options: RequestOptions | None = None) -> models.Delta:
        """Compares a state with another one, or with the head. Roles: admin, operator, auditor."""
        answer: models.Delta = self._json(routes.WORKSPACES__GET_DIFF, (workspace_id, ), None, {"from": from_, "to": to, "path": path}, options, models.Delta)
        return answer

    def get_text_diff(self, workspace_id: str, /, *, from_: str, to: str | None = None, path: str | None = None, options: RequestOptions | None = None) -> models.TextDiff:
        """Returns the same comparison as unified diffs, file by file. Roles: admin, operator, auditor."""
        answer: models.TextDiff = self._json(routes.WORKSPACES__GET_TEXT_DIFF, (workspace_id, ), None, {"from": from_, "to": to, "path": path}, options, models.TextDiff)
        return answer

    def restore(self, workspace_id: str, body: models.RestoreWorkspaceRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Workspace:
        """Restores a workspace, or a path of it, to an earlier state. Roles: admin, operator."""
        answer: models.Workspace = self._json(routes.WORKSPACES__RESTORE, (workspace_id, ), body, {}, options, models.Workspace)
        return answer

    def upload_files(self, workspace_id: str, body: models.UploadFilesRequest | Mapping[str, Any], /, *, options: RequestOptions | None = None) -> models.Workspace:
        """Uploads many files in one change. Roles: admin, operator."""
        answer: models.Workspace = self._json(routes.WORKSPACES__UPLOAD_FILES, (workspace_id, ), body, {}, options, models.Workspace)
        return answer

    def download_file(self, workspace_id: str, path: str, /, *, at: str | None = None, options: RequestOptions | None = None) -> Download:
        """Returns a file's content; `ETag` is its SHA-256. Roles: admin, operator, auditor."""
        return self._download(routes.WORKSPACES__DOWNLOAD_FILE, (workspace_id, path, ), None, {"at": at}, options)

    def upload_file(self, workspace_id: str, path: str, body: bytes, /, *, mode: models.FileMode | None = None, options: RequestOptions | None = None) -> models.Workspace:
        """Uploads one file, and creates its directories. Roles: admin, operator."""
        answer: models.Workspace = self._json(routes.WORKSPACES__UPLOAD_FILE, (workspace_id, path, ), body, {"mode": mode}, options, models.Workspace)
        return answer

    def delete_file(self, workspace_id: str, path: str, /, *, options: RequestOptions | None = None) -> models.Workspace:
        """Deletes a file, or a directory with its content. Roles: admin, operator."""
        answer: models.Workspace = self._json(routes.WORKSPACES__DELETE_FILE, (workspace_id, path, ), None, {}, options, models.Workspace)
        return answer

    def export(self, workspace_id: str, /, *, at: str | None = None, path: str | None = None, options: RequestOptions | None = None) -> Download:
        """Exports a state of a workspace, or one of its directories, as a tar archive. Roles: admin, operator, auditor."""
        return self._download(routes.WORKSPACES__EXPORT, (workspace_id, ), None, {"at": at, "path": path}, options)

    def import_(self, workspace_id: str, body: bytes, /, *, path: str | None = None, replace: bool | None = None, options: RequestOptions | None = None) -> models.Workspace:
        """Unpacks a tar archive into a workspace, in one change. Roles: admin, operator."""
        answer: models.Workspace = self._json(routes.WORKSPACES__IMPORT, (workspace_id, ), body, {"path": path, "replace": replace}, options, models.Workspace)
        return answer


class ApiGroups:
    """The groups of all routes."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @cached_property
    def agents(self) -> AgentsApi:
        return AgentsApi(self._shell)

    @cached_property
    def api_keys(self) -> ApiKeysApi:
        return ApiKeysApi(self._shell)

    @cached_property
    def approvals(self) -> ApprovalsApi:
        return ApprovalsApi(self._shell)

    @cached_property
    def approver_groups(self) -> ApproverGroupsApi:
        return ApproverGroupsApi(self._shell)

    @cached_property
    def audio_devices(self) -> AudioDevicesApi:
        return AudioDevicesApi(self._shell)

    @cached_property
    def budgets(self) -> BudgetsApi:
        return BudgetsApi(self._shell)

    @cached_property
    def call_settings(self) -> CallSettingsApi:
        return CallSettingsApi(self._shell)

    @cached_property
    def capability_tokens(self) -> CapabilityTokensApi:
        return CapabilityTokensApi(self._shell)

    @cached_property
    def channels(self) -> ChannelsApi:
        return ChannelsApi(self._shell)

    @cached_property
    def containers(self) -> ContainersApi:
        return ContainersApi(self._shell)

    @cached_property
    def device_authorizations(self) -> DeviceAuthorizationsApi:
        return DeviceAuthorizationsApi(self._shell)

    @cached_property
    def erasures(self) -> ErasuresApi:
        return ErasuresApi(self._shell)

    @cached_property
    def events(self) -> EventsApi:
        return EventsApi(self._shell)

    @cached_property
    def execution_profiles(self) -> ExecutionProfilesApi:
        return ExecutionProfilesApi(self._shell)

    @cached_property
    def exports(self) -> ExportsApi:
        return ExportsApi(self._shell)

    @cached_property
    def external_versions(self) -> ExternalVersionsApi:
        return ExternalVersionsApi(self._shell)

    @cached_property
    def freezes(self) -> FreezesApi:
        return FreezesApi(self._shell)

    @cached_property
    def identity_providers(self) -> IdentityProvidersApi:
        return IdentityProvidersApi(self._shell)

    @cached_property
    def images(self) -> ImagesApi:
        return ImagesApi(self._shell)

    @cached_property
    def invitations(self) -> InvitationsApi:
        return InvitationsApi(self._shell)

    @cached_property
    def jobs(self) -> JobsApi:
        return JobsApi(self._shell)

    @cached_property
    def log(self) -> LogApi:
        return LogApi(self._shell)

    @cached_property
    def mcp_servers(self) -> McpServersApi:
        return McpServersApi(self._shell)

    @cached_property
    def members(self) -> MembersApi:
        return MembersApi(self._shell)

    @cached_property
    def models(self) -> ModelsApi:
        return ModelsApi(self._shell)

    @cached_property
    def oauth(self) -> OauthApi:
        return OauthApi(self._shell)

    @cached_property
    def operations(self) -> OperationsApi:
        return OperationsApi(self._shell)

    @cached_property
    def permits(self) -> PermitsApi:
        return PermitsApi(self._shell)

    @cached_property
    def persons(self) -> PersonsApi:
        return PersonsApi(self._shell)

    @cached_property
    def policies(self) -> PoliciesApi:
        return PoliciesApi(self._shell)

    @cached_property
    def prompts(self) -> PromptsApi:
        return PromptsApi(self._shell)

    @cached_property
    def records(self) -> RecordsApi:
        return RecordsApi(self._shell)

    @cached_property
    def registrar_keys(self) -> RegistrarKeysApi:
        return RegistrarKeysApi(self._shell)

    @cached_property
    def resource_grants(self) -> ResourceGrantsApi:
        return ResourceGrantsApi(self._shell)

    @cached_property
    def resources(self) -> ResourcesApi:
        return ResourcesApi(self._shell)

    @cached_property
    def retention(self) -> RetentionApi:
        return RetentionApi(self._shell)

    @cached_property
    def runs(self) -> RunsApi:
        return RunsApi(self._shell)

    @cached_property
    def sandboxes(self) -> SandboxesApi:
        return SandboxesApi(self._shell)

    @cached_property
    def secrets(self) -> SecretsApi:
        return SecretsApi(self._shell)

    @cached_property
    def sessions(self) -> SessionsApi:
        return SessionsApi(self._shell)

    @cached_property
    def sign_in(self) -> SignInApi:
        return SignInApi(self._shell)

    @cached_property
    def sign_ins(self) -> SignInsApi:
        return SignInsApi(self._shell)

    @cached_property
    def sign_out(self) -> SignOutApi:
        return SignOutApi(self._shell)

    @cached_property
    def skills(self) -> SkillsApi:
        return SkillsApi(self._shell)

    @cached_property
    def system(self) -> SystemApi:
        return SystemApi(self._shell)

    @cached_property
    def tenants(self) -> TenantsApi:
        return TenantsApi(self._shell)

    @cached_property
    def tool_calls(self) -> ToolCallsApi:
        return ToolCallsApi(self._shell)

    @cached_property
    def tools(self) -> ToolsApi:
        return ToolsApi(self._shell)

    @cached_property
    def turns(self) -> TurnsApi:
        return TurnsApi(self._shell)

    @cached_property
    def usage(self) -> UsageApi:
        return UsageApi(self._shell)

    @cached_property
    def webhooks(self) -> WebhooksApi:
        return WebhooksApi(self._shell)

    @cached_property
    def whoami(self) -> WhoamiApi:
        return WhoamiApi(self._shell)

    @cached_property
    def workspaces(self) -> WorkspacesApi:
        return WorkspacesApi(self._shell)
