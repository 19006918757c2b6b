// SPDX-License-Identifier: Apache-2.0
// Generated from the API by `node tools/with-node.mjs tools/src/sdk/main.ts`.
import type { Download, Listed, ServerEvent } from '../answers.ts';
import type { RequestOptions } from '../options.ts';
import type {
  AcceptMcpServerToolsAnswer,
  AcceptMcpServerToolsBody,
  ActivatePolicyAnswer,
  ActivatePolicyBody,
  AddRegistrarKeyAnswer,
  AddRegistrarKeyBody,
  ApplyToolsAnswer,
  ApplyToolsBody,
  ApproveAnswer,
  ApproveBody,
  AskListingMcpConnectionAnswer,
  AskListingMcpConnectionBody,
  AskMcpConnectionAnswer,
  AskMcpConnectionBody,
  AttenuateTokenAnswer,
  AttenuateTokenBody,
  BacktestPolicyAnswer,
  BacktestPolicyBody,
  CancelOperationAnswer,
  CancelOperationBody,
  CancelRunAnswer,
  CancelRunBody,
  ChangeChannelAnswer,
  ChangeChannelBody,
  ChangeJobAnswer,
  ChangeJobBody,
  ChangeMemberAnswer,
  ChangeMemberBody,
  ChangeWebhookAnswer,
  ChangeWebhookBody,
  CloseTenantAnswer,
  CloseTenantBody,
  CreateAgentAnswer,
  CreateAgentBody,
  CreateApiKeyAnswer,
  CreateApiKeyBody,
  CreateChannelAnswer,
  CreateChannelBody,
  CreateDeviceAuthorizationAnswer,
  CreateExecutionProfileAnswer,
  CreateExecutionProfileBody,
  CreateImageAnswer,
  CreateImageBody,
  CreateInvitationAnswer,
  CreateInvitationBody,
  CreateJobAnswer,
  CreateJobBody,
  CreateResourceAnswer,
  CreateResourceBody,
  CreateServiceAccountAnswer,
  CreateServiceAccountBody,
  CreateSessionAnswer,
  CreateSessionBody,
  CreateTenantAnswer,
  CreateTenantBody,
  CreateWebhookAnswer,
  CreateWebhookBody,
  CreateWorkspaceAnswer,
  CreateWorkspaceBody,
  DelegateApprovalAnswer,
  DelegateApprovalBody,
  DeleteBudgetAnswer,
  DeleteChannelAnswer,
  DeleteFileAnswer,
  DeleteJobAnswer,
  DeleteSessionAnswer,
  DeleteWebhookAnswer,
  DenyAnswer,
  DenyBody,
  DenyTokensAnswer,
  DenyTokensBody,
  DiffPoliciesAnswer,
  DiffPoliciesQuery,
  DownloadFileQuery,
  EditApprovalAnswer,
  EditApprovalBody,
  EndMcpConnectionAnswer,
  EndOwnSignInAnswer,
  EndSignInAnswer,
  EraseAnswer,
  EraseBody,
  ExplainOperationAnswer,
  ExportBundleQuery,
  ExportRecordsQuery,
  ExportTranscriptAnswer,
  ExportWorkspaceQuery,
  FindPersonAnswer,
  FindPersonQuery,
  FollowEventsQuery,
  FollowRunQuery,
  ForgetPersonAnswer,
  ForkRunAnswer,
  ForkRunBody,
  GiveValueAnswer,
  GiveValueBody,
  GroupApprovalsAnswer,
  GroupApprovalsQuery,
  ImportOpenApiAnswer,
  ImportOpenApiBody,
  ImportWorkspaceAnswer,
  ImportWorkspaceQuery,
  IssueAccessTokenAnswer,
  IssueTokenAnswer,
  IssueTokenBody,
  KillContainerAnswer,
  KillContainerBody,
  LiftFreezeAnswer,
  LiftFreezeBody,
  LinkIdentityAnswer,
  LinkIdentityBody,
  ListAgentsAnswer,
  ListAgentsQuery,
  ListAlikeApprovalsAnswer,
  ListApiKeysAnswer,
  ListApiKeysQuery,
  ListApprovalsAnswer,
  ListApprovalsQuery,
  ListApproverGroupsAnswer,
  ListApproverGroupsQuery,
  ListBriefApprovalsAnswer,
  ListBriefApprovalsQuery,
  ListBudgetsAnswer,
  ListBudgetsQuery,
  ListChannelsAnswer,
  ListChannelsQuery,
  ListContainersAnswer,
  ListContainersQuery,
  ListDelegationsAnswer,
  ListDelegationsQuery,
  ListDeliveriesAnswer,
  ListDeliveriesQuery,
  ListErasuresAnswer,
  ListErasuresQuery,
  ListExecutionProfilesAnswer,
  ListExecutionProfilesQuery,
  ListExternalVersionsAnswer,
  ListExternalVersionsQuery,
  ListFreezesAnswer,
  ListFreezesQuery,
  ListIdentityProvidersAnswer,
  ListImagesAnswer,
  ListImagesQuery,
  ListInvitationsAnswer,
  ListInvitationsQuery,
  ListJobRunsAnswer,
  ListJobRunsQuery,
  ListJobsAnswer,
  ListJobsQuery,
  ListMcpConnectionsAnswer,
  ListMcpConnectionsQuery,
  ListMcpServerToolsAnswer,
  ListMcpServerToolsQuery,
  ListMcpServersAnswer,
  ListMcpServersQuery,
  ListMembersAnswer,
  ListMembersQuery,
  ListModelsAnswer,
  ListOperationsAnswer,
  ListOperationsQuery,
  ListOwnSignInsAnswer,
  ListOwnSignInsQuery,
  ListPoliciesAnswer,
  ListPoliciesQuery,
  ListPolicyActivationsAnswer,
  ListPolicyActivationsQuery,
  ListPolicyTemplatesAnswer,
  ListRecordsAnswer,
  ListRecordsOfClosedTenantAnswer,
  ListRecordsOfClosedTenantQuery,
  ListRecordsQuery,
  ListRegistrarKeysAnswer,
  ListRegistrarKeysQuery,
  ListRequestsAnswer,
  ListRequestsQuery,
  ListResourceGrantsAnswer,
  ListResourceGrantsQuery,
  ListResourcesAnswer,
  ListResourcesQuery,
  ListRunsAnswer,
  ListRunsQuery,
  ListSandboxesAnswer,
  ListSandboxesQuery,
  ListSecretsAnswer,
  ListSecretsQuery,
  ListSessionsAnswer,
  ListSessionsQuery,
  ListSignInsAnswer,
  ListSignInsQuery,
  ListSkillsAnswer,
  ListSkillsQuery,
  ListTenantsAnswer,
  ListTenantsQuery,
  ListTokensAnswer,
  ListTokensQuery,
  ListToolsAnswer,
  ListWebhooksAnswer,
  ListWebhooksQuery,
  ListWorkspacesAnswer,
  ListWorkspacesQuery,
  OffboardMemberAnswer,
  OffboardMemberBody,
  PauseJobAnswer,
  PauseJobBody,
  PingWebhookAnswer,
  PingWebhookBody,
  PlaceFreezeAnswer,
  PlaceFreezeBody,
  ProposeToolCallAnswer,
  ProposeToolCallBody,
  ProposeToolCallQuery,
  PutApproverGroupAnswer,
  PutApproverGroupBody,
  PutIdentityProviderAnswer,
  PutIdentityProviderBody,
  PutPolicyAnswer,
  PutPolicyBody,
  PutSandboxAnswer,
  PutSandboxBody,
  PutSkillAnswer,
  PutSkillBody,
  PutTenantIdentityProviderAnswer,
  PutTenantIdentityProviderBody,
  ReadAgentAnswer,
  ReadApprovalAnswer,
  ReadApprovalDiffAnswer,
  ReadApprovalQuery,
  ReadApproverGroupAnswer,
  ReadAudioDeviceAnswer,
  ReadBudgetAnswer,
  ReadCallSettingsAnswer,
  ReadCallUsageAnswer,
  ReadCallUsageQuery,
  ReadChannelAnswer,
  ReadConsistencyAnswer,
  ReadConsistencyQuery,
  ReadContainerLogsAnswer,
  ReadDiffAnswer,
  ReadDiffQuery,
  ReadDocumentAnswer,
  ReadErasureAnswer,
  ReadExecutionProfileAnswer,
  ReadFreezeAnswer,
  ReadHealthAnswer,
  ReadHistoryAnswer,
  ReadHistoryQuery,
  ReadIdentityProviderAnswer,
  ReadImageAnswer,
  ReadImageLogAnswer,
  ReadInclusionAnswer,
  ReadInclusionQuery,
  ReadInvitationAnswer,
  ReadJobAnswer,
  ReadMcpConnectionAnswer,
  ReadMcpServerAnswer,
  ReadMemberAnswer,
  ReadOperationAnswer,
  ReadOperationQuery,
  ReadOutputQuery,
  ReadPolicyAnswer,
  ReadPolicySchemaAnswer,
  ReadPromptAnswer,
  ReadPromptQuery,
  ReadProtectedMcpResourceAnswer,
  ReadProtectedResourceAnswer,
  ReadPublicKeysAnswer,
  ReadReadinessAnswer,
  ReadReceiptQuery,
  ReadRecordAnswer,
  ReadResourceAnswer,
  ReadResourceGrantAnswer,
  ReadRetentionAnswer,
  ReadRunAnswer,
  ReadRunQuery,
  ReadSandboxAnswer,
  ReadSecretAnswer,
  ReadSessionAnswer,
  ReadSignInAnswer,
  ReadSignaturesAnswer,
  ReadSkillAnswer,
  ReadSystemAnswer,
  ReadTenantAnswer,
  ReadTenantLimitsAnswer,
  ReadTextDiffAnswer,
  ReadTextDiffQuery,
  ReadTokenAnswer,
  ReadTokenQuery,
  ReadToolAnswer,
  ReadTreeAnswer,
  ReadTreeQuery,
  ReadUsageAnswer,
  ReadUsageQuery,
  ReadWebhookAnswer,
  ReadWorkspaceAnswer,
  ReadWorkspaceLimitsAnswer,
  RedeemPermitAnswer,
  RedeemPermitBody,
  RedeliverAnswer,
  RedeliverBody,
  RefreshMcpServerAnswer,
  RefreshMcpServerBody,
  RefuseMcpServerToolsAnswer,
  RefuseMcpServerToolsBody,
  RemoveApproverGroupAnswer,
  RemoveExecutionProfileAnswer,
  RemoveIdentityProviderAnswer,
  RemoveImageAnswer,
  RemoveResourceAnswer,
  RemoveResourceGrantAnswer,
  RemoveSandboxAnswer,
  RemoveSecretAnswer,
  RemoveSkillAnswer,
  RemoveToolAnswer,
  RenewLeaseAnswer,
  RenewLeaseBody,
  ReplayRunAnswer,
  ReplayRunBody,
  ReportFunctionAnswer,
  ReportFunctionBody,
  ResolveOperationAnswer,
  ResolveOperationBody,
  RestoreWorkspaceAnswer,
  RestoreWorkspaceBody,
  ResumeJobAnswer,
  ResumeJobBody,
  RetireRegistrarKeyAnswer,
  RetireRegistrarKeyBody,
  RevokeApiKeyAnswer,
  RevokeDelegationAnswer,
  RevokeInvitationAnswer,
  RevokeRegistrarKeyAnswer,
  RevokeRegistrarKeyBody,
  RevokeTokenAnswer,
  RevokeTokenBody,
  RollBackPolicyAnswer,
  RollBackPolicyBody,
  RotateApiKeyAnswer,
  RotateApiKeyBody,
  RotateOwnApiKeyAnswer,
  RotateOwnApiKeyBody,
  RotateWebhookSecretAnswer,
  RotateWebhookSecretBody,
  RunJobAnswer,
  RunJobBody,
  RunTurnAnswer,
  RunTurnBody,
  RunTurnQuery,
  SetBudgetAnswer,
  SetBudgetBody,
  SetCallSettingsAnswer,
  SetCallSettingsBody,
  SetExternalVersionAnswer,
  SetExternalVersionBody,
  SetResourceGrantAnswer,
  SetResourceGrantBody,
  SetRetentionAnswer,
  SetRetentionBody,
  SetSecretAnswer,
  SetSecretBody,
  SetTenantLimitsAnswer,
  SetTenantLimitsBody,
  SetWorkspaceLimitsAnswer,
  SetWorkspaceLimitsBody,
  SignOutAnswer,
  SignSandboxAnswer,
  SignSandboxBody,
  SimulatePolicyAnswer,
  SimulatePolicyBody,
  StartRunAnswer,
  StartRunBody,
  TakeOwnPermitAnswer,
  TakeOwnPermitBody,
  TakePermitAnswer,
  TakePermitBody,
  TakePermitQuery,
  UpdateResourceAnswer,
  UpdateResourceBody,
  UploadAudioFramesAnswer,
  UploadFileAnswer,
  UploadFileQuery,
  UploadFilesAnswer,
  UploadFilesBody,
  WhoamiAnswer,
} from './types.ts';

export interface AgentsApi {
  /** Lists the agents. Roles: admin, operator, agent, auditor. */
  list(query?: ListAgentsQuery, options?: RequestOptions): Listed<ListAgentsAnswer>;
  /** Creates an agent. Roles: admin. */
  create(body: CreateAgentBody, options?: RequestOptions): Promise<CreateAgentAnswer>;
  /** Shows an agent. Roles: admin, operator, agent, auditor. */
  get(agent_id: string, options?: RequestOptions): Promise<ReadAgentAnswer>;
}

export interface ApiKeysApi {
  /** Lists the keys, including revoked ones. Roles: admin. */
  list(query?: ListApiKeysQuery, options?: RequestOptions): Listed<ListApiKeysAnswer>;
  /** Creates a key, which is shown once. Roles: admin. */
  create(body: CreateApiKeyBody, options?: RequestOptions): Promise<CreateApiKeyAnswer>;
  /** Exchanges the secret of a key, which keeps its id and all that depends on it. Roles: admin. */
  rotate(api_key_id: string, body: RotateApiKeyBody, options?: RequestOptions): Promise<RotateApiKeyAnswer>;
  /** Exchanges the secret of the key that the request presents. Roles: admin, operator, agent, auditor, worker. */
  rotateOwn(body: RotateOwnApiKeyBody, options?: RequestOptions): Promise<RotateOwnApiKeyAnswer>;
  /** Revokes a key: it is rejected within a second, and its calls and runs end. Roles: admin. */
  revoke(api_key_id: string, options?: RequestOptions): Promise<RevokeApiKeyAnswer>;
}

export interface ApprovalsApi {
  /** Delegates your right to approve to another person for a time: their decisions count as yours. Roles: admin, operator. */
  delegate(body: DelegateApprovalBody, options?: RequestOptions): Promise<DelegateApprovalAnswer>;
  /** Lists who may approve for whom. Roles: admin, operator, auditor. */
  listDelegations(query?: ListDelegationsQuery, options?: RequestOptions): Listed<ListDelegationsAnswer>;
  /** Revokes a delegation; its votes no longer count for pending approvals. Allowed for the delegating person and administrators. Roles: admin, operator. */
  revokeDelegation(delegation_id: string, options?: RequestOptions): Promise<RevokeDelegationAnswer>;
  /** Lists approvals without arguments, effects and texts, for a queue of many. Roles: admin, operator, auditor. */
  listBrief(query?: ListBriefApprovalsQuery, options?: RequestOptions): Listed<ListBriefApprovalsAnswer>;
  /** Counts pending approvals of alike calls: of one tool, agent and autonomy mode, held for the same reasons. Roles: admin, operator, auditor. */
  group(query?: GroupApprovalsQuery, options?: RequestOptions): Promise<GroupApprovalsAnswer>;
  /** Lists approvals, newest first unless another order is asked for. Roles: admin, operator, auditor. */
  list(query?: ListApprovalsQuery, options?: RequestOptions): Listed<ListApprovalsAnswer>;
  /** Shows the held call, and the effect of its preview. Roles: admin, operator, auditor. */
  get(approval_id: string, query?: ReadApprovalQuery, options?: RequestOptions): Promise<ReadApprovalAnswer>;
  /** Shows the staged effect as a diff, which an approval would commit. Roles: admin, operator. */
  getDiff(approval_id: string, options?: RequestOptions): Promise<ReadApprovalDiffAnswer>;
  /** Lists how the last approvals of calls of the same tool and agent ended. Roles: admin, operator, auditor. */
  listAlike(approval_id: string, options?: RequestOptions): Promise<ListAlikeApprovalsAnswer>;
  /** Approves a call; nobody approves their own. Where a quorum is needed, it counts as one vote. Roles: admin, operator. */
  approve(approval_id: string, body?: ApproveBody, options?: RequestOptions): Promise<ApproveAnswer>;
  /** Ends the held call and proposes it again with other arguments; the editor may not approve the new call. Roles: admin, operator. */
  edit(approval_id: string, body: EditApprovalBody, options?: RequestOptions): Promise<EditApprovalAnswer>;
  /** Supplies the value that a call waits for; nobody supplies one to their own call. No response, record, event or log contains it. Roles: admin, operator. */
  giveValue(approval_id: string, body: GiveValueBody, options?: RequestOptions): Promise<GiveValueAnswer>;
  /** Denies a call; the agent receives the comment. Roles: admin, operator. */
  deny(approval_id: string, body?: DenyBody, options?: RequestOptions): Promise<DenyAnswer>;
}

export interface ApproverGroupsApi {
  /** Lists the approver groups with their members, by name. Roles: admin, operator, auditor. */
  list(query?: ListApproverGroupsQuery, options?: RequestOptions): Listed<ListApproverGroupsAnswer>;
  /** Makes or changes an approver group: it has exactly these members afterwards. Roles: admin. */
  put(body: PutApproverGroupBody, options?: RequestOptions): Promise<PutApproverGroupAnswer>;
  /** Shows one approver group. Roles: admin, operator, auditor. */
  get(group: string, options?: RequestOptions): Promise<ReadApproverGroupAnswer>;
  /** Removes an approver group that the policy in force does not name, and that has no budget. Roles: admin. */
  delete(group: string, options?: RequestOptions): Promise<RemoveApproverGroupAnswer>;
}

export interface AudioDevicesApi {
  /** Shows what is kept of an audio device: times, bytes and gaps, and no samples. Roles: admin, operator, auditor. */
  get(resource_id: string, options?: RequestOptions): Promise<ReadAudioDeviceAnswer>;
  /** Uploads frames of an audio device, as they are recorded; an agent's key only if it is the uploader. Roles: admin, operator, agent. */
  uploadAudioFrames(resource_id: string, body: Uint8Array, options?: RequestOptions): Promise<UploadAudioFramesAnswer>;
}

export interface BudgetsApi {
  /** Lists the budgets per day and month, with their use and when they reset. Roles: admin, operator, auditor. */
  list(query?: ListBudgetsQuery, options?: RequestOptions): Listed<ListBudgetsAnswer>;
  /** Makes a budget, or sets the limit of the one of the same subject, period, measure and currency. Roles: admin. */
  set(body: SetBudgetBody, options?: RequestOptions): Promise<SetBudgetAnswer>;
  /** Shows a budget, with its use and when it resets. Roles: admin, operator, auditor. */
  get(budget_id: string, options?: RequestOptions): Promise<ReadBudgetAnswer>;
  /** Deletes a budget with the count of its use. Roles: admin. */
  delete(budget_id: string, options?: RequestOptions): Promise<DeleteBudgetAnswer>;
}

export interface CallSettingsApi {
  /** Shows which paths calls may reach whatever their tokens grant, and the limit on the output of commands. Roles: admin, operator, auditor. */
  get(options?: RequestOptions): Promise<ReadCallSettingsAnswer>;
  /** Sets them; omitted ones stay. Every decision after the answer is made under the new settings. Roles: admin. */
  set(body?: SetCallSettingsBody, options?: RequestOptions): Promise<SetCallSettingsAnswer>;
}

export interface CapabilityTokensApi {
  /** Issues a token to an agent. Roles: admin. */
  issue(body: IssueTokenBody, options?: RequestOptions): Promise<IssueTokenAnswer>;
  /** Lists tokens; an agent's key sees its own and their descendants. Roles: admin, operator, agent, auditor. */
  list(query?: ListTokensQuery, options?: RequestOptions): Listed<ListTokensAnswer>;
  /** Creates a child token that grants less, for the same agent or another. Roles: admin, agent. */
  attenuate(capability_token_id: string, body: AttenuateTokenBody, options?: RequestOptions): Promise<AttenuateTokenAnswer>;
  /** Shows a token and its used budgets. Roles: admin, operator, agent, auditor. */
  get(capability_token_id: string, query?: ReadTokenQuery, options?: RequestOptions): Promise<ReadTokenAnswer>;
  /** Revokes a token and its descendants; an agent's key may revoke only descendants of its tokens. Roles: admin, operator, agent. */
  revoke(capability_token_id: string, body?: RevokeTokenBody, options?: RequestOptions): Promise<RevokeTokenAnswer>;
}

export interface ChannelsApi {
  /** Lists the channels, newest first. Roles: admin, operator, auditor. */
  list(query?: ListChannelsQuery, options?: RequestOptions): Listed<ListChannelsAnswer>;
  /** Creates a channel, in which messages about approvals appear from now on. Roles: admin. */
  create(body: CreateChannelBody, options?: RequestOptions): Promise<CreateChannelAnswer>;
  /** Shows a channel. Roles: admin, operator, auditor. */
  get(channel_id: string, options?: RequestOptions): Promise<ReadChannelAnswer>;
  /** Changes what is given of a channel, disables it or enables it again. Roles: admin. */
  change(channel_id: string, body?: ChangeChannelBody, options?: RequestOptions): Promise<ChangeChannelAnswer>;
  /** Deletes a channel; messages that were sent stay where they are. Roles: admin. */
  delete(channel_id: string, options?: RequestOptions): Promise<DeleteChannelAnswer>;
}

export interface ContainersApi {
  /** Lists the containers that run a call or a session now; the platform key sees every tenant's. Roles: admin, operator, auditor, the platform key. */
  list(query?: ListContainersQuery, options?: RequestOptions): Listed<ListContainersAnswer>;
  /** Shows the last output of a container so far. Roles: admin, operator, auditor. */
  getLogs(container_id: string, options?: RequestOptions): Promise<ReadContainerLogsAnswer>;
  /** Kills a container: its call ends as `sandbox.killed`, a session loses its shell. Roles: admin, operator, the platform key. */
  kill(container_id: string, body?: KillContainerBody, options?: RequestOptions): Promise<KillContainerAnswer>;
}

export interface DeviceAuthorizationsApi {
  /** Asks for a session of a program, which a person approves in a browser (RFC 8628). Needs no key. */
  create(body: Uint8Array, options?: RequestOptions): Promise<CreateDeviceAuthorizationAnswer>;
}

export interface ErasuresApi {
  /** Erases the contents of calls and the texts of their sessions: of one call, a session, a data subject, or all before a time. It can't be undone; records and receipts stay valid. Roles: admin. */
  erase(body: EraseBody, options?: RequestOptions): Promise<EraseAnswer>;
  /** Lists erasures, newest first, including those of retention. Roles: admin, operator, auditor. */
  list(query?: ListErasuresQuery, options?: RequestOptions): Listed<ListErasuresAnswer>;
  /** Shows an erasure. Roles: admin, operator, auditor. */
  get(erasure_id: string, options?: RequestOptions): Promise<ReadErasureAnswer>;
}

export interface EventsApi {
  /** Streams events of operations as they happen; an agent's key receives those of its agent. Roles: admin, operator, agent, auditor. */
  follow(query?: FollowEventsQuery, options?: RequestOptions): AsyncIterable<ServerEvent>;
}

export interface ExecutionProfilesApi {
  /** Lists the execution profiles of raw commands, by name. Roles: admin, operator, auditor. */
  list(query?: ListExecutionProfilesQuery, options?: RequestOptions): Listed<ListExecutionProfilesAnswer>;
  /** Registers an execution profile, under which `shell.dangerous` runs raw commands; it never changes. Roles: admin. */
  create(body: CreateExecutionProfileBody, options?: RequestOptions): Promise<CreateExecutionProfileAnswer>;
  /** Shows one execution profile. Roles: admin, operator, auditor. */
  get(profile: string, options?: RequestOptions): Promise<ReadExecutionProfileAnswer>;
  /** Removes an execution profile: no call runs under it from then on, not even one that waits already. Roles: admin. */
  delete(profile: string, options?: RequestOptions): Promise<RemoveExecutionProfileAnswer>;
}

export interface ExportsApi {
  /** Exports the records of the tenant's log, one per line, in the order of the log. Roles: admin, operator, auditor. */
  exportRecords(query?: ExportRecordsQuery, options?: RequestOptions): Promise<Download>;
  /** Exports a signed archive that verifies offline: the receipts of a session or a time range, with the policies and tools that they refer to. Roles: admin, operator, auditor. */
  exportBundle(query?: ExportBundleQuery, options?: RequestOptions): Promise<Download>;
}

export interface ExternalVersionsApi {
  /** Lists the versions of external things that calls may depend on. Roles: admin, operator, agent, auditor. */
  list(query?: ListExternalVersionsQuery, options?: RequestOptions): Listed<ListExternalVersionsAnswer>;
  /** Sets the version of an external thing, if it still has the expected one. Roles: admin, operator. */
  set(body: SetExternalVersionBody, options?: RequestOptions): Promise<SetExternalVersionAnswer>;
}

export interface FreezesApi {
  /** Stops a tenant, an agent or a tool; the platform key stops everything. Roles: admin, operator, the platform key. */
  place(body: PlaceFreezeBody, options?: RequestOptions): Promise<PlaceFreezeAnswer>;
  /** Lists freezes, including the deployment's; the platform key sees only those. Roles: admin, operator, auditor, the platform key. */
  list(query?: ListFreezesQuery, options?: RequestOptions): Listed<ListFreezesAnswer>;
  /** Shows a freeze. Roles: admin, operator, auditor, the platform key. */
  get(freeze_id: string, options?: RequestOptions): Promise<ReadFreezeAnswer>;
  /** Lifts a freeze; the platform key lifts freezes of everything. Roles: admin, the platform key. */
  lift(freeze_id: string, body?: LiftFreezeBody, options?: RequestOptions): Promise<LiftFreezeAnswer>;
}

export interface IdentityProvidersApi {
  /** Lists the OAuth issuers whose access tokens are accepted. Roles: admin, auditor. */
  list(options?: RequestOptions): Promise<ListIdentityProvidersAnswer>;
  /** Registers an OAuth issuer, or changes what the tokens of the one with this name may do. Roles: admin. */
  put(body: PutIdentityProviderBody, options?: RequestOptions): Promise<PutIdentityProviderAnswer>;
  /** Shows one OAuth issuer whose access tokens are accepted. Roles: admin, auditor. */
  get(provider: string, options?: RequestOptions): Promise<ReadIdentityProviderAnswer>;
  /** Removes an issuer: its tokens are refused within a second, and their calls and streams end. Roles: admin. */
  delete(provider: string, options?: RequestOptions): Promise<RemoveIdentityProviderAnswer>;
  /** Refuses a subject, or one token, though the issuer still vouches for it. Roles: admin. */
  denyTokens(provider: string, body?: DenyTokensBody, options?: RequestOptions): Promise<DenyTokensAnswer>;
}

export interface ImagesApi {
  /** Lists the images of the tenant, by name. Roles: admin, operator, auditor. */
  list(query?: ListImagesQuery, options?: RequestOptions): Listed<ListImagesAnswer>;
  /** Registers an image, which an executor then fetches or builds; it never changes. Roles: admin. */
  create(body: CreateImageBody, options?: RequestOptions): Promise<CreateImageAnswer>;
  /** Shows one image. Roles: admin, operator, auditor. */
  get(image: string, options?: RequestOptions): Promise<ReadImageAnswer>;
  /** Removes an image: no call runs in it from then on, not even one that waits already. Roles: admin. */
  delete(image: string, options?: RequestOptions): Promise<RemoveImageAnswer>;
  /** Shows the end of what the builder of an image wrote. Roles: admin, operator, auditor. */
  getLog(image: string, options?: RequestOptions): Promise<ReadImageLogAnswer>;
}

export interface InvitationsApi {
  /** Lists invitations, those that were over within a month too. Roles: admin, auditor. */
  list(query?: ListInvitationsQuery, options?: RequestOptions): Listed<ListInvitationsAnswer>;
  /** Invites a person, who becomes a member with the role by signing in with the link. Roles: admin. */
  create(body: CreateInvitationBody, options?: RequestOptions): Promise<CreateInvitationAnswer>;
  /** Reads an invitation. Roles: admin, auditor. */
  get(invitation_id: string, options?: RequestOptions): Promise<ReadInvitationAnswer>;
  /** Revokes an invitation: its link is good for nothing from then on. Roles: admin. */
  revoke(invitation_id: string, options?: RequestOptions): Promise<RevokeInvitationAnswer>;
}

export interface JobsApi {
  /** Lists jobs, newest first; an agent's key sees its own. Roles: admin, operator, agent, auditor. */
  list(query?: ListJobsQuery, options?: RequestOptions): Listed<ListJobsAnswer>;
  /** Creates a job: a scheduled task of an agent, with the mutating tools that its runs may use. Roles: admin. */
  create(body: CreateJobBody, options?: RequestOptions): Promise<CreateJobAnswer>;
  /** Pauses a job; runs in progress continue. Roles: admin, operator. */
  pause(job_id: string, body?: PauseJobBody, options?: RequestOptions): Promise<PauseJobAnswer>;
  /** Resumes a job; due times during the pause are skipped. Roles: admin. */
  resume(job_id: string, body?: ResumeJobBody, options?: RequestOptions): Promise<ResumeJobAnswer>;
  /** Lists the starts of a job within the last 30 days, newest first. Roles: admin, operator, agent, auditor. */
  listRuns(job_id: string, query?: ListJobRunsQuery, options?: RequestOptions): Listed<ListJobRunsAnswer>;
  /** Starts a job now, even if it is paused; the start waits for unfinished runs unless they may overlap. Roles: admin. */
  run(job_id: string, body?: RunJobBody, options?: RequestOptions): Promise<RunJobAnswer>;
  /** Shows a job. Roles: admin, operator, agent, auditor. */
  get(job_id: string, options?: RequestOptions): Promise<ReadJobAnswer>;
  /** Replaces the definition of a job, on behalf of the caller; runs in progress lose their token. Roles: admin. */
  change(job_id: string, body: ChangeJobBody, options?: RequestOptions): Promise<ChangeJobAnswer>;
  /** Deletes a job, and cancels its runs; their sessions remain. Roles: admin. */
  delete(job_id: string, options?: RequestOptions): Promise<DeleteJobAnswer>;
}

export interface LogApi {
  /** Returns the signed checkpoint of the tenant's log. Roles: admin, operator, agent, auditor. */
  getCheckpoint(options?: RequestOptions): Promise<Download>;
  /** Returns a tile of hashes, `<L>/<N>[.p/<W>]`; it never changes. Roles: admin, operator, agent, auditor. */
  getTile(tile: string, options?: RequestOptions): Promise<Download>;
  /** Returns a bundle of records, `<N>[.p/<W>]`; it never changes. Roles: admin, operator, auditor. */
  getEntries(bundle: string, options?: RequestOptions): Promise<Download>;
  /** Returns the signatures of the records of a bundle, `<N>[.p/<W>]`; they never change. Roles: admin, operator, auditor. */
  getSignatures(bundle: string, options?: RequestOptions): Promise<ReadSignaturesAnswer>;
  /** Proves that a record is in the log of the newest checkpoint, for example to refresh a receipt. Roles: admin, operator, agent, auditor. */
  getInclusion(query: ReadInclusionQuery, options?: RequestOptions): Promise<ReadInclusionAnswer>;
  /** Proves that the log of `to` records begins with the one of `from`. Roles: admin, operator, agent, auditor. */
  getConsistency(query: ReadConsistencyQuery, options?: RequestOptions): Promise<ReadConsistencyAnswer>;
}

export interface McpServersApi {
  /** Lists the MCP servers of the tenant, by name. Roles: admin, operator, auditor. */
  list(query?: ListMcpServersQuery, options?: RequestOptions): Listed<ListMcpServersAnswer>;
  /** Shows one MCP server. Roles: admin, operator, auditor. */
  get(mcp_server: string, options?: RequestOptions): Promise<ReadMcpServerAnswer>;
  /** Has an executor list the tools of an MCP server as soon as one is free. Roles: admin. */
  refresh(mcp_server: string, body?: RefreshMcpServerBody, options?: RequestOptions): Promise<RefreshMcpServerAnswer>;
  /** Lists what an MCP server lists, in the server's own words, with what was accepted of it. Roles: admin, operator, auditor. */
  listTools(mcp_server: string, query?: ListMcpServerToolsQuery, options?: RequestOptions): Listed<ListMcpServerToolsAnswer>;
  /** Puts tools into force with the definitions that were looked at: all of them, or none. Roles: admin. */
  acceptTools(mcp_server: string, body: AcceptMcpServerToolsBody, options?: RequestOptions): Promise<AcceptMcpServerToolsAnswer>;
  /** Refuses definitions of tools: the tools are out of force while their server lists these. Roles: admin. */
  refuseTools(mcp_server: string, body: RefuseMcpServerToolsBody, options?: RequestOptions): Promise<RefuseMcpServerToolsAnswer>;
  /** Makes a link by which the person of the access token lets an MCP server act under their own rights. Roles: admin, operator, agent. */
  askMcpConnection(mcp_server: string, body?: AskMcpConnectionBody, options?: RequestOptions): Promise<AskMcpConnectionAnswer>;
  /** Lists the caller's connections to an MCP server, and all of them for administrators. Roles: admin, operator, agent, auditor. */
  listMcpConnections(mcp_server: string, query?: ListMcpConnectionsQuery, options?: RequestOptions): Listed<ListMcpConnectionsAnswer>;
  /** Makes such a link for an administrator, with whose rights the server's tools are listed too. Roles: admin. */
  askListingMcpConnection(mcp_server: string, body?: AskListingMcpConnectionBody, options?: RequestOptions): Promise<AskListingMcpConnectionAnswer>;
  /** Shows a connection: how far a consent is, and whether calls can use it. Roles: admin, operator, agent, auditor. */
  getMcpConnection(mcp_server: string, connection_id: string, options?: RequestOptions): Promise<ReadMcpConnectionAnswer>;
  /** Ends a connection: its tokens are revoked and forgotten, and no call uses them from then on. Roles: admin, operator, agent. */
  endMcpConnection(mcp_server: string, connection_id: string, options?: RequestOptions): Promise<EndMcpConnectionAnswer>;
}

export interface MembersApi {
  /** Lists people who signed in, and service accounts. Roles: admin, auditor. */
  list(query?: ListMembersQuery, options?: RequestOptions): Listed<ListMembersAnswer>;
  /** Makes a service account, which keys can name and which decides about no call. Roles: admin. */
  createServiceAccount(body: CreateServiceAccountBody, options?: RequestOptions): Promise<CreateServiceAccountAnswer>;
  /** Reads a member. Roles: admin, auditor. */
  get(member_id: string, options?: RequestOptions): Promise<ReadMemberAnswer>;
  /** Gives a member a role of its own, or suspends it: its sessions, tokens and keys are refused within a second. Roles: admin. */
  change(member_id: string, body?: ChangeMemberBody, options?: RequestOptions): Promise<ChangeMemberAnswer>;
  /** Links a subject of another identity provider to a person, who then signs in there too. Roles: admin. */
  linkIdentity(member_id: string, body: LinkIdentityBody, options?: RequestOptions): Promise<LinkIdentityAnswer>;
  /** Ends for good all that a member holds, lent or approved: at once, and within a minute what is left. Roles: admin. */
  offboard(member_id: string, body: OffboardMemberBody, options?: RequestOptions): Promise<OffboardMemberAnswer>;
}

export interface ModelsApi {
  /** Lists the models that sessions may use, with their prices. Roles: admin, operator, agent, auditor. */
  list(options?: RequestOptions): Promise<ListModelsAnswer>;
}

export interface OauthApi {
  /** Exchanges a grant for a token (RFC 6749 §3.2). Needs no key. */
  issueAccessToken(body: Uint8Array, options?: RequestOptions): Promise<IssueAccessTokenAnswer>;
}

export interface OperationsApi {
  /** Lists operations, newest first; an agent's key sees its own. Roles: admin, operator, agent, auditor. */
  list(query?: ListOperationsQuery, options?: RequestOptions): Listed<ListOperationsAnswer>;
  /** Shows an operation; with `wait`, returns as soon as it has ended or is held. Roles: admin, operator, agent, auditor. */
  get(operation_id: string, query?: ReadOperationQuery, options?: RequestOptions): Promise<ReadOperationAnswer>;
  /** Cancels an operation that has not ended. Roles: admin, operator, agent. */
  cancel(operation_id: string, body?: CancelOperationBody, options?: RequestOptions): Promise<CancelOperationAnswer>;
  /** Resolves an ambiguous operation; nobody resolves their own call. Roles: admin, operator. */
  resolve(operation_id: string, body: ResolveOperationBody, options?: RequestOptions): Promise<ResolveOperationAnswer>;
  /** Lists the outgoing requests of a call, in order: target, verdict and bytes. Roles: admin, operator, agent, auditor. */
  listRequests(operation_id: string, query?: ListRequestsQuery, options?: RequestOptions): Listed<ListRequestsAnswer>;
  /** Returns the full output of a command while it is stored, byte for byte except for secrets; `Writ-Output-Cut` tells whether it is truncated. Roles: admin, operator, agent, auditor. */
  getOutput(operation_id: string, query?: ReadOutputQuery, options?: RequestOptions): Promise<Download>;
  /** Explains the decision: its policy set, its rules, and whether the set in force decides the same. Roles: admin, operator, auditor. */
  explain(operation_id: string, options?: RequestOptions): Promise<ExplainOperationAnswer>;
  /** Returns the receipt of the outcome, else of the last decision. Roles: admin, operator, agent, auditor. */
  getReceipt(operation_id: string, query?: ReadReceiptQuery, options?: RequestOptions): Promise<Download>;
}

export interface PermitsApi {
  /** Takes a permit for the next waiting call of the worker's tools; with `wait`, waits for one. Roles: worker. */
  take(body?: TakePermitBody, query?: TakePermitQuery, options?: RequestOptions): Promise<TakePermitAnswer>;
  /** Takes the permit for a call that its proposer runs. Roles: agent. */
  takeOwn(body: TakeOwnPermitBody, options?: RequestOptions): Promise<TakeOwnPermitAnswer>;
  /** Redeems a permit, once: from then on the function may have taken effect. Roles: agent, worker. */
  redeem(body: RedeemPermitBody, options?: RequestOptions): Promise<RedeemPermitAnswer>;
  /** Extends the lease of an attempt. Roles: agent, worker. */
  renewLease(body: RenewLeaseBody, options?: RequestOptions): Promise<RenewLeaseAnswer>;
  /** Reports what became of a call, as the claim of who ran it. Roles: agent, worker. */
  reportFunction(body: ReportFunctionBody, options?: RequestOptions): Promise<ReportFunctionAnswer>;
}

export interface PersonsApi {
  /** Finds the pseudonym of a person: by name, or by issuer and subject. Roles: admin, auditor. */
  find(query?: FindPersonQuery, options?: RequestOptions): Promise<FindPersonAnswer>;
  /** Unlinks a pseudonym: nobody can tell any more whose calls and records have it. Roles: admin. */
  forget(person_id: string, options?: RequestOptions): Promise<ForgetPersonAnswer>;
}

export interface PoliciesApi {
  /** Evaluates a call without deciding, reserving or recording anything. Roles: admin, operator, auditor. */
  simulate(body: SimulatePolicyBody, options?: RequestOptions): Promise<SimulatePolicyAnswer>;
  /** Evaluates a set on recorded calls, page by page, and lists decisions that would differ; the page is signed. Roles: admin, operator, auditor. */
  backtest(body?: BacktestPolicyBody, options?: RequestOptions): Promise<BacktestPolicyAnswer>;
  /** Lists the policy sets: the one in force, the shipped ones, and the tenant's own. Roles: admin, operator, auditor. */
  list(query?: ListPoliciesQuery, options?: RequestOptions): Listed<ListPoliciesAnswer>;
  /** Validates and stores a policy set; it has no effect before it is activated. Roles: admin. */
  put(body: PutPolicyBody, options?: RequestOptions): Promise<PutPolicyAnswer>;
  /** Returns the schemas of policy sets. Roles: admin, operator, auditor. */
  getSchema(options?: RequestOptions): Promise<ReadPolicySchemaAnswer>;
  /** Lists rules for common cases, to be filled in. Roles: admin, operator, auditor. */
  listTemplates(options?: RequestOptions): Promise<ListPolicyTemplatesAnswer>;
  /** Lists which sets were in force, newest first. Roles: admin, operator, auditor. */
  listActivations(query?: ListPolicyActivationsQuery, options?: RequestOptions): Listed<ListPolicyActivationsAnswer>;
  /** Compares two sets, rule by rule; each defaults to the one in force. Roles: admin, operator, auditor. */
  diff(query?: DiffPoliciesQuery, options?: RequestOptions): Promise<DiffPoliciesAnswer>;
  /** Activates a set for every decision from now on. Roles: admin. */
  activate(body: ActivatePolicyBody, options?: RequestOptions): Promise<ActivatePolicyAnswer>;
  /** Activates the previous set again. Roles: admin. */
  rollBack(body?: RollBackPolicyBody, options?: RequestOptions): Promise<RollBackPolicyAnswer>;
  /** Shows a policy set: by its hash, its name or `name@version`; `active`: the one in force. Roles: admin, operator, auditor. */
  get(policy: string, options?: RequestOptions): Promise<ReadPolicyAnswer>;
}

export interface PromptsApi {
  /** Returns the system prompt that a session with a token begins with, in a dialect. Roles: admin, operator, agent, auditor. */
  get(query: ReadPromptQuery, options?: RequestOptions): Promise<ReadPromptAnswer>;
}

export interface RecordsApi {
  /** Searches records; all pages show the index as it was when the first page was read. Roles: admin, operator, auditor. */
  list(query?: ListRecordsQuery, options?: RequestOptions): Listed<ListRecordsAnswer>;
  /** Shows a signed record by its leaf index in the log. Roles: admin, operator, auditor. */
  get(leaf_index: number, options?: RequestOptions): Promise<ReadRecordAnswer>;
  /** Returns the receipt of a record of any kind. Roles: admin, operator, auditor. */
  getReceipt(leaf_index: number, options?: RequestOptions): Promise<Download>;
}

export interface RegistrarKeysApi {
  /** Lists the public keys of registrars, who sign sandboxes, newest first. Roles: admin, operator, auditor. */
  list(query?: ListRegistrarKeysQuery, options?: RequestOptions): Listed<ListRegistrarKeysAnswer>;
  /** Adds a registrar's public key: signatures by its private key are accepted from then on. Roles: admin. */
  add(body: AddRegistrarKeyBody, options?: RequestOptions): Promise<AddRegistrarKeyAnswer>;
  /** Retires a registrar's key: its signatures stay valid, and new ones are refused. Roles: admin. */
  retire(keyid: string, body?: RetireRegistrarKeyBody, options?: RequestOptions): Promise<RetireRegistrarKeyAnswer>;
  /** Revokes a registrar's key: nothing runs in a sandbox that it signed until another key signs it. Roles: admin. */
  revoke(keyid: string, body?: RevokeRegistrarKeyBody, options?: RequestOptions): Promise<RevokeRegistrarKeyAnswer>;
}

export interface ResourceGrantsApi {
  /** Lists the grants of resources to agents. Roles: admin, operator, auditor. */
  list(query?: ListResourceGrantsQuery, options?: RequestOptions): Listed<ListResourceGrantsAnswer>;
  /** Grants a resource, or a whole kind, to an agent or to every agent; or changes the clearance. Roles: admin. */
  set(body: SetResourceGrantBody, options?: RequestOptions): Promise<SetResourceGrantAnswer>;
  /** Shows one grant of a resource to agents. Roles: admin, operator, auditor. */
  get(resource_grant_id: string, options?: RequestOptions): Promise<ReadResourceGrantAnswer>;
  /** Takes a grant back: no call is decided under it from then on. Roles: admin. */
  delete(resource_grant_id: string, options?: RequestOptions): Promise<RemoveResourceGrantAnswer>;
}

export interface ResourcesApi {
  /** Lists the registered resources; for an agent's key those that the agent may use, without settings. Roles: admin, operator, agent, auditor. */
  list(query?: ListResourcesQuery, options?: RequestOptions): Listed<ListResourcesAnswer>;
  /** Registers a resource with its settings. Roles: admin. */
  create(body?: CreateResourceBody, options?: RequestOptions): Promise<CreateResourceAnswer>;
  /** Shows one resource; to an agent's key only what the agent may use, without settings. Roles: admin, operator, agent, auditor. */
  get(resource_id: string, options?: RequestOptions): Promise<ReadResourceAnswer>;
  /** Replaces the settings of a resource, if it still has the expected version; its grants stay. Roles: admin. */
  update(resource_id: string, body: UpdateResourceBody, options?: RequestOptions): Promise<UpdateResourceAnswer>;
  /** Removes a resource and its grants: no call uses it from then on. Roles: admin. */
  delete(resource_id: string, options?: RequestOptions): Promise<RemoveResourceAnswer>;
}

export interface RetentionApi {
  /** Shows the retention periods and modes of the tenant. Roles: admin, operator, auditor. */
  get(options?: RequestOptions): Promise<ReadRetentionAnswer>;
  /** Sets the retention periods and modes of the tenant; contents older than that are erased within the hour. Roles: admin. */
  set(body: SetRetentionBody, options?: RequestOptions): Promise<SetRetentionAnswer>;
}

export interface RunsApi {
  /** Shows a run with its current state. Roles: admin, operator, agent, auditor. */
  get(run_id: string, query?: ReadRunQuery, options?: RequestOptions): Promise<ReadRunAnswer>;
  /** Streams a run: its stored events, with `seq` as the event's id, then text and calls as they arrive; `Last-Event-ID` resumes after an event. Roles: admin, operator, agent, auditor. */
  follow(run_id: string, query?: FollowRunQuery, options?: RequestOptions): AsyncIterable<ServerEvent>;
  /** Cancels a run and its calls that have not ended; a run that has ended stays as it is. Roles: admin, operator, agent. */
  cancel(run_id: string, body?: CancelRunBody, options?: RequestOptions): Promise<CancelRunAnswer>;
  /** Creates a session that begins with the conversation up to an event of a run; files are those of the workspace now. Roles: admin, agent. */
  fork(run_id: string, body: ForkRunBody, options?: RequestOptions): Promise<ForkRunAnswer>;
  /** Evaluates a set on the calls of a run and its sub-agents, page by page: which decisions would differ, and where the conversation would have diverged; nothing is executed, decided or recorded. Roles: admin, operator. */
  replay(run_id: string, body?: ReplayRunBody, options?: RequestOptions): Promise<ReplayRunAnswer>;
}

export interface SandboxesApi {
  /** Lists the sandboxes of mk8.shell, by name. Roles: admin, operator, auditor. */
  list(query?: ListSandboxesQuery, options?: RequestOptions): Listed<ListSandboxesAnswer>;
  /** Registers or changes a sandbox of mk8.shell; a changed sandbox has to be signed again. Roles: admin. */
  put(body: PutSandboxBody, options?: RequestOptions): Promise<PutSandboxAnswer>;
  /** Shows one sandbox of mk8.shell, its signed environment, and whether scripts run in it. Roles: admin, operator, auditor. */
  get(sandbox: string, options?: RequestOptions): Promise<ReadSandboxAnswer>;
  /** Removes a sandbox of mk8.shell: no script runs in it from then on. Roles: admin. */
  delete(sandbox: string, options?: RequestOptions): Promise<RemoveSandboxAnswer>;
  /** Stores a registrar's signature of the current sandbox and its environment. Roles: admin. */
  sign(sandbox: string, body: SignSandboxBody, options?: RequestOptions): Promise<SignSandboxAnswer>;
}

export interface SecretsApi {
  /** Lists the tenant's secrets by name, without their values. Roles: admin, operator, auditor. */
  list(query?: ListSecretsQuery, options?: RequestOptions): Listed<ListSecretsAnswer>;
  /** Sets the value of a secret: calls use it by its name, and no route returns it. Roles: admin. */
  set(body: SetSecretBody, options?: RequestOptions): Promise<SetSecretAnswer>;
  /** Shows one secret without its value: its version, and who set it. Roles: admin, operator, auditor. */
  get(name: string, options?: RequestOptions): Promise<ReadSecretAnswer>;
  /** Removes a secret: no call receives it from then on. Roles: admin. */
  delete(name: string, options?: RequestOptions): Promise<RemoveSecretAnswer>;
}

export interface SessionsApi {
  /** Lists sessions, newest first; an agent's key sees its own. Roles: admin, operator, agent, auditor. */
  list(query?: ListSessionsQuery, options?: RequestOptions): Listed<ListSessionsAnswer>;
  /** Creates a session: a conversation of an agent in a workspace, under a capability token. Roles: admin, agent. */
  create(body: CreateSessionBody, options?: RequestOptions): Promise<CreateSessionAnswer>;
  /** Lists the runs of a session, newest first. Roles: admin, operator, agent, auditor. */
  listRuns(session_id: string, query?: ListRunsQuery, options?: RequestOptions): Listed<ListRunsAnswer>;
  /** Starts a run: a task for the agent; runs of one session execute one after another. Roles: admin, agent. */
  startRun(session_id: string, body: StartRunBody, options?: RequestOptions): Promise<StartRunAnswer>;
  /** Returns the transcript of a session, run by run. Roles: admin, operator, agent, auditor. */
  exportTranscript(session_id: string, options?: RequestOptions): Promise<ExportTranscriptAnswer>;
  /** Returns the transcript as lines, without a length limit: the session, each run with its events, and an end line that marks completeness. Roles: admin, operator, agent, auditor. */
  exportTranscriptLines(session_id: string, options?: RequestOptions): Promise<Download>;
  /** Shows a session. Roles: admin, operator, agent, auditor. */
  get(session_id: string, options?: RequestOptions): Promise<ReadSessionAnswer>;
  /** Deletes a session with its runs and texts, and records that; its calls and their receipts remain. Roles: admin. */
  delete(session_id: string, options?: RequestOptions): Promise<DeleteSessionAnswer>;
}

export interface SignInApi {
  /** Reads the session of this request, and the token that its changes need. Roles: admin, operator, agent, auditor. */
  get(options?: RequestOptions): Promise<ReadSignInAnswer>;
}

export interface SignInsApi {
  /** Lists the sessions of the caller's person. Roles: admin, operator, agent, auditor. */
  listOwn(query?: ListOwnSignInsQuery, options?: RequestOptions): Listed<ListOwnSignInsAnswer>;
  /** Ends a session of the caller's person within a second. Roles: admin, operator, agent, auditor. */
  endOwn(sign_in_id: string, options?: RequestOptions): Promise<EndOwnSignInAnswer>;
  /** Lists the sessions of all people. Roles: admin, auditor. */
  list(query?: ListSignInsQuery, options?: RequestOptions): Listed<ListSignInsAnswer>;
  /** Ends a session of anybody within a second. Roles: admin. */
  end(sign_in_id: string, options?: RequestOptions): Promise<EndSignInAnswer>;
}

export interface SignOutApi {
  /** Ends the session of this request. Roles: admin, operator, agent, auditor. */
  signOut(options?: RequestOptions): Promise<SignOutAnswer>;
}

export interface SkillsApi {
  /** Lists the skills that agents read, by name. Roles: admin, operator, auditor. */
  list(query?: ListSkillsQuery, options?: RequestOptions): Listed<ListSkillsAnswer>;
  /** Uploads a folder with a `SKILL.md` as the newest version of its skill; identical contents keep the same version. Roles: admin. */
  put(body: PutSkillBody, options?: RequestOptions): Promise<PutSkillAnswer>;
  /** Shows one skill, with the files of its newest version and its stored versions. Roles: admin, operator, auditor. */
  get(skill: string, options?: RequestOptions): Promise<ReadSkillAnswer>;
  /** Removes a skill with all of its versions: no call reads it from then on. Roles: admin. */
  delete(skill: string, options?: RequestOptions): Promise<RemoveSkillAnswer>;
}

export interface SystemApi {
  /** Reports versions, clocks, durability, connections, waiting records, executors and migrations. Roles: the platform key alone. */
  getSystem(options?: RequestOptions): Promise<ReadSystemAnswer>;
  /** Reports that the process is alive. Needs no key. */
  getHealth(options?: RequestOptions): Promise<ReadHealthAnswer>;
  /** Reports whether the process is ready. Needs no key. */
  getReadiness(options?: RequestOptions): Promise<ReadReadinessAnswer>;
  /** Returns this document. Needs no key. */
  getDocument(options?: RequestOptions): Promise<ReadDocumentAnswer>;
  /** Returns the public keys that verify receipts. Needs no key. */
  getPublicKeys(options?: RequestOptions): Promise<ReadPublicKeysAnswer>;
  /** Returns what an OAuth client needs to get an access token for the API (RFC 9728). Needs no key. */
  getProtectedResource(options?: RequestOptions): Promise<ReadProtectedResourceAnswer>;
  /** Returns what an OAuth client needs to get an access token for `/mcp` alone (RFC 9728). Needs no key. */
  getProtectedMcpResource(options?: RequestOptions): Promise<ReadProtectedMcpResourceAnswer>;
}

export interface TenantsApi {
  /** Creates a tenant and its first administrator's key. Roles: the platform key alone. */
  create(body: CreateTenantBody, options?: RequestOptions): Promise<CreateTenantAnswer>;
  /** Lists tenants, newest first. Roles: the platform key alone. */
  list(query?: ListTenantsQuery, options?: RequestOptions): Listed<ListTenantsAnswer>;
  /** Shows a tenant. Roles: the platform key alone. */
  get(tenant_id: string, options?: RequestOptions): Promise<ReadTenantAnswer>;
  /** Closes a tenant for ever: nothing is admitted, open calls end, its keys are revoked, its records stay. Roles: the platform key alone. */
  close(tenant_id: string, body: CloseTenantBody, options?: RequestOptions): Promise<CloseTenantAnswer>;
  /** Lists the records of a closed tenant, newest first. Roles: the platform key alone. */
  listRecordsOfClosed(tenant_id: string, query?: ListRecordsOfClosedTenantQuery, options?: RequestOptions): Listed<ListRecordsOfClosedTenantAnswer>;
  /** Returns the receipt of a record of a closed tenant. Roles: the platform key alone. */
  getReceiptOfClosed(tenant_id: string, leaf_index: number, options?: RequestOptions): Promise<Download>;
  /** Shows the limits of a tenant, and the usage of its workspaces. Roles: the platform key alone. */
  getLimits(tenant_id: string, options?: RequestOptions): Promise<ReadTenantLimitsAnswer>;
  /** Sets limits of a tenant; omitted ones stay. Rates take effect everywhere within a second, the rest at once. Roles: the platform key alone. */
  setLimits(tenant_id: string, body?: SetTenantLimitsBody, options?: RequestOptions): Promise<SetTenantLimitsAnswer>;
  /** Registers an OAuth issuer for a tenant, or changes it, without a token of the issuer. Roles: the platform key alone. */
  putIdentityProvider(tenant_id: string, body: PutTenantIdentityProviderBody, options?: RequestOptions): Promise<PutTenantIdentityProviderAnswer>;
}

export interface ToolCallsApi {
  /** Proposes a tool call and waits for its end. Roles: admin, agent. */
  propose(body: ProposeToolCallBody, query?: ProposeToolCallQuery, options?: RequestOptions): Promise<ProposeToolCallAnswer>;
}

export interface ToolsApi {
  /** Lists the tools with their parameters: Writ's own and the tenant's. Roles: admin, operator, agent, auditor. */
  list(options?: RequestOptions): Promise<ListToolsAnswer>;
  /** Registers programs and functions as tools, all of the request or none. Roles: admin. */
  apply(body?: ApplyToolsBody, options?: RequestOptions): Promise<ApplyToolsAnswer>;
  /** Shows one tool. Roles: admin, operator, agent, auditor. */
  get(tool_id: string, options?: RequestOptions): Promise<ReadToolAnswer>;
  /** Removes a tool of the tenant: admitted calls of it that have not begun do not run. Roles: admin. */
  delete(tool_id: string, options?: RequestOptions): Promise<RemoveToolAnswer>;
  /** Makes tools of the operations of an OpenAPI document, and registers all of them or none. Roles: admin. */
  importOpenApi(body: ImportOpenApiBody, options?: RequestOptions): Promise<ImportOpenApiAnswer>;
}

export interface TurnsApi {
  /** Parses the output of a model, runs its calls, and returns their results in its dialect. Roles: admin, agent. */
  run(body: RunTurnBody, query?: RunTurnQuery, options?: RequestOptions): Promise<RunTurnAnswer>;
}

export interface UsageApi {
  /** Counts calls by day, agent, person, API key, tool and outcome. Roles: admin, operator, auditor. */
  getCall(query?: ReadCallUsageQuery, options?: RequestOptions): Listed<ReadCallUsageAnswer>;
  /** Sums tokens and costs of runs that were requested in a period, by model and by session, agent or day; includes deleted sessions. Roles: admin, operator, auditor. */
  get(query?: ReadUsageQuery, options?: RequestOptions): Promise<ReadUsageAnswer>;
}

export interface WebhooksApi {
  /** Lists the webhooks. Roles: admin, operator, auditor. */
  list(query?: ListWebhooksQuery, options?: RequestOptions): Listed<ListWebhooksAnswer>;
  /** Creates a webhook; its secret is shown once. Roles: admin. */
  create(body: CreateWebhookBody, options?: RequestOptions): Promise<CreateWebhookAnswer>;
  /** Creates a new secret; for a time messages are also signed with the old one. Roles: admin. */
  rotateSecret(webhook_id: string, body?: RotateWebhookSecretBody, options?: RequestOptions): Promise<RotateWebhookSecretAnswer>;
  /** Sends a message of the kind `webhook.ping`. Roles: admin, operator. */
  ping(webhook_id: string, body?: PingWebhookBody, options?: RequestOptions): Promise<PingWebhookAnswer>;
  /** Lists finished and pending deliveries, newest first. Roles: admin, operator, auditor. */
  listDeliveries(webhook_id: string, query?: ListDeliveriesQuery, options?: RequestOptions): Listed<ListDeliveriesAnswer>;
  /** Sends a message again, with the same id. Roles: admin, operator. */
  redeliver(webhook_id: string, delivery_id: string, body?: RedeliverBody, options?: RequestOptions): Promise<RedeliverAnswer>;
  /** Shows a webhook. Roles: admin, operator, auditor. */
  get(webhook_id: string, options?: RequestOptions): Promise<ReadWebhookAnswer>;
  /** Changes a webhook, disables it or enables it again. Roles: admin. */
  change(webhook_id: string, body: ChangeWebhookBody, options?: RequestOptions): Promise<ChangeWebhookAnswer>;
  /** Deletes a webhook with its pending deliveries. Roles: admin. */
  delete(webhook_id: string, options?: RequestOptions): Promise<DeleteWebhookAnswer>;
}

export interface WhoamiApi {
  /** Says who makes the request: the tenant, the role, the person, and how long what it presents is good. Roles: admin, operator, agent, auditor, worker, the platform key. */
  whoami(options?: RequestOptions): Promise<WhoamiAnswer>;
}

export interface WorkspacesApi {
  /** Creates an empty workspace. Roles: admin, operator. */
  create(body: CreateWorkspaceBody, options?: RequestOptions): Promise<CreateWorkspaceAnswer>;
  /** Lists the workspaces. Roles: admin, operator, agent, auditor. */
  list(query?: ListWorkspacesQuery, options?: RequestOptions): Listed<ListWorkspacesAnswer>;
  /** Shows a workspace and its head. Roles: admin, operator, agent, auditor. */
  get(workspace_id: string, options?: RequestOptions): Promise<ReadWorkspaceAnswer>;
  /** Shows the limits of a workspace, and its usage. Roles: admin, operator, agent, auditor. */
  getLimits(workspace_id: string, options?: RequestOptions): Promise<ReadWorkspaceLimitsAnswer>;
  /** Sets the limits of a workspace; omitted ones stay, and null means no limit. Roles: admin. */
  setLimits(workspace_id: string, body?: SetWorkspaceLimitsBody, options?: RequestOptions): Promise<SetWorkspaceLimitsAnswer>;
  /** Lists the entries below a directory, each directory before its content. Roles: admin, operator, auditor. */
  getTree(workspace_id: string, query?: ReadTreeQuery, options?: RequestOptions): Promise<ReadTreeAnswer>;
  /** Lists earlier heads of a workspace, newest first. Roles: admin, operator, auditor. */
  getHistory(workspace_id: string, query?: ReadHistoryQuery, options?: RequestOptions): Listed<ReadHistoryAnswer>;
  /** Compares a state with another one, or with the head. Roles: admin, operator, auditor. */
  getDiff(workspace_id: string, query: ReadDiffQuery, options?: RequestOptions): Promise<ReadDiffAnswer>;
  /** Returns the same comparison as unified diffs, file by file. Roles: admin, operator, auditor. */
  getTextDiff(workspace_id: string, query: ReadTextDiffQuery, options?: RequestOptions): Promise<ReadTextDiffAnswer>;
  /** Restores a workspace, or a path of it, to an earlier state. Roles: admin, operator. */
  restore(workspace_id: string, body: RestoreWorkspaceBody, options?: RequestOptions): Promise<RestoreWorkspaceAnswer>;
  /** Uploads many files in one change. Roles: admin, operator. */
  uploadFiles(workspace_id: string, body: UploadFilesBody, options?: RequestOptions): Promise<UploadFilesAnswer>;
  /** Returns a file's content; `ETag` is its SHA-256. Roles: admin, operator, auditor. */
  downloadFile(workspace_id: string, path: string, query?: DownloadFileQuery, options?: RequestOptions): Promise<Download>;
  /** Uploads one file, and creates its directories. Roles: admin, operator. */
  uploadFile(workspace_id: string, path: string, body: Uint8Array, query?: UploadFileQuery, options?: RequestOptions): Promise<UploadFileAnswer>;
  /** Deletes a file, or a directory with its content. Roles: admin, operator. */
  deleteFile(workspace_id: string, path: string, options?: RequestOptions): Promise<DeleteFileAnswer>;
  /** Exports a state of a workspace, or one of its directories, as a tar archive. Roles: admin, operator, auditor. */
  export(workspace_id: string, query?: ExportWorkspaceQuery, options?: RequestOptions): Promise<Download>;
  /** Unpacks a tar archive into a workspace, in one change. Roles: admin, operator. */
  import(workspace_id: string, body: Uint8Array, query?: ImportWorkspaceQuery, options?: RequestOptions): Promise<ImportWorkspaceAnswer>;
}

/** The groups of all routes. */
export abstract class ApiGroups {
  readonly agents: AgentsApi;
  readonly apiKeys: ApiKeysApi;
  readonly approvals: ApprovalsApi;
  readonly approverGroups: ApproverGroupsApi;
  readonly audioDevices: AudioDevicesApi;
  readonly budgets: BudgetsApi;
  readonly callSettings: CallSettingsApi;
  readonly capabilityTokens: CapabilityTokensApi;
  readonly channels: ChannelsApi;
  readonly containers: ContainersApi;
  readonly deviceAuthorizations: DeviceAuthorizationsApi;
  readonly erasures: ErasuresApi;
  readonly events: EventsApi;
  readonly executionProfiles: ExecutionProfilesApi;
  readonly exports: ExportsApi;
  readonly externalVersions: ExternalVersionsApi;
  readonly freezes: FreezesApi;
  readonly identityProviders: IdentityProvidersApi;
  readonly images: ImagesApi;
  readonly invitations: InvitationsApi;
  readonly jobs: JobsApi;
  readonly log: LogApi;
  readonly mcpServers: McpServersApi;
  readonly members: MembersApi;
  readonly models: ModelsApi;
  readonly oauth: OauthApi;
  readonly operations: OperationsApi;
  readonly permits: PermitsApi;
  readonly persons: PersonsApi;
  readonly policies: PoliciesApi;
  readonly prompts: PromptsApi;
  readonly records: RecordsApi;
  readonly registrarKeys: RegistrarKeysApi;
  readonly resourceGrants: ResourceGrantsApi;
  readonly resources: ResourcesApi;
  readonly retention: RetentionApi;
  readonly runs: RunsApi;
  readonly sandboxes: SandboxesApi;
  readonly secrets: SecretsApi;
  readonly sessions: SessionsApi;
  readonly signIn: SignInApi;
  readonly signIns: SignInsApi;
  readonly signOut: SignOutApi;
  readonly skills: SkillsApi;
  readonly system: SystemApi;
  readonly tenants: TenantsApi;
  readonly toolCalls: ToolCallsApi;
  readonly tools: ToolsApi;
  readonly turns: TurnsApi;
  readonly usage: UsageApi;
  readonly webhooks: WebhooksApi;
  readonly whoami: WhoamiApi;
  readonly workspaces: WorkspacesApi;

  constructor(bind: (group: GroupName) => unknown) {
    this.agents = bind('agents') as AgentsApi;
    this.apiKeys = bind('apiKeys') as ApiKeysApi;
    this.approvals = bind('approvals') as ApprovalsApi;
    this.approverGroups = bind('approverGroups') as ApproverGroupsApi;
    this.audioDevices = bind('audioDevices') as AudioDevicesApi;
    this.budgets = bind('budgets') as BudgetsApi;
    this.callSettings = bind('callSettings') as CallSettingsApi;
    this.capabilityTokens = bind('capabilityTokens') as CapabilityTokensApi;
    this.channels = bind('channels') as ChannelsApi;
    this.containers = bind('containers') as ContainersApi;
    this.deviceAuthorizations = bind('deviceAuthorizations') as DeviceAuthorizationsApi;
    this.erasures = bind('erasures') as ErasuresApi;
    this.events = bind('events') as EventsApi;
    this.executionProfiles = bind('executionProfiles') as ExecutionProfilesApi;
    this.exports = bind('exports') as ExportsApi;
    this.externalVersions = bind('externalVersions') as ExternalVersionsApi;
    this.freezes = bind('freezes') as FreezesApi;
    this.identityProviders = bind('identityProviders') as IdentityProvidersApi;
    this.images = bind('images') as ImagesApi;
    this.invitations = bind('invitations') as InvitationsApi;
    this.jobs = bind('jobs') as JobsApi;
    this.log = bind('log') as LogApi;
    this.mcpServers = bind('mcpServers') as McpServersApi;
    this.members = bind('members') as MembersApi;
    this.models = bind('models') as ModelsApi;
    this.oauth = bind('oauth') as OauthApi;
    this.operations = bind('operations') as OperationsApi;
    this.permits = bind('permits') as PermitsApi;
    this.persons = bind('persons') as PersonsApi;
    this.policies = bind('policies') as PoliciesApi;
    this.prompts = bind('prompts') as PromptsApi;
    this.records = bind('records') as RecordsApi;
    this.registrarKeys = bind('registrarKeys') as RegistrarKeysApi;
    this.resourceGrants = bind('resourceGrants') as ResourceGrantsApi;
    this.resources = bind('resources') as ResourcesApi;
    this.retention = bind('retention') as RetentionApi;
    this.runs = bind('runs') as RunsApi;
    this.sandboxes = bind('sandboxes') as SandboxesApi;
    this.secrets = bind('secrets') as SecretsApi;
    this.sessions = bind('sessions') as SessionsApi;
    this.signIn = bind('signIn') as SignInApi;
    this.signIns = bind('signIns') as SignInsApi;
    this.signOut = bind('signOut') as SignOutApi;
    this.skills = bind('skills') as SkillsApi;
    this.system = bind('system') as SystemApi;
    this.tenants = bind('tenants') as TenantsApi;
    this.toolCalls = bind('toolCalls') as ToolCallsApi;
    this.tools = bind('tools') as ToolsApi;
    this.turns = bind('turns') as TurnsApi;
    this.usage = bind('usage') as UsageApi;
    this.webhooks = bind('webhooks') as WebhooksApi;
    this.whoami = bind('whoami') as WhoamiApi;
    this.workspaces = bind('workspaces') as WorkspacesApi;
  }
}

export type GroupName =
  | 'agents'
  | 'apiKeys'
  | 'approvals'
  | 'approverGroups'
  | 'audioDevices'
  | 'budgets'
  | 'callSettings'
  | 'capabilityTokens'
  | 'channels'
  | 'containers'
  | 'deviceAuthorizations'
  | 'erasures'
  | 'events'
  | 'executionProfiles'
  | 'exports'
  | 'externalVersions'
  | 'freezes'
  | 'identityProviders'
  | 'images'
  | 'invitations'
  | 'jobs'
  | 'log'
  | 'mcpServers'
  | 'members'
  | 'models'
  | 'oauth'
  | 'operations'
  | 'permits'
  | 'persons'
  | 'policies'
  | 'prompts'
  | 'records'
  | 'registrarKeys'
  | 'resourceGrants'
  | 'resources'
  | 'retention'
  | 'runs'
  | 'sandboxes'
  | 'secrets'
  | 'sessions'
  | 'signIn'
  | 'signIns'
  | 'signOut'
  | 'skills'
  | 'system'
  | 'tenants'
  | 'toolCalls'
  | 'tools'
  | 'turns'
  | 'usage'
  | 'webhooks'
  | 'whoami'
  | 'workspaces';
