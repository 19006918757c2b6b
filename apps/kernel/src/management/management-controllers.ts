// SPDX-License-Identifier: Apache-2.0
import { AgentsController } from './agents/index.ts';
import { BudgetsController } from './budgets/index.ts';
import { ApproverGroupsController } from './approver-groups/index.ts';
import { CallSettingsController } from './call-settings/index.ts';
import { ApiKeysController } from './api-keys/index.ts';
import { AudioDevicesController } from './audio-devices/index.ts';
import { ContainersController, PeekedController } from './containers/index.ts';
import { DelegationsController } from './delegations/index.ts';
import { FreezesController } from './freezes/index.ts';
import { ImageBuildsController, ImagesController } from './images/index.ts';
import { McpConnectionsController, McpConsentsController, TokenWorkController } from './mcp-connections/index.ts';
import { McpListingsController, McpServersController } from './mcp-servers/index.ts';
import { NoticesController } from './notices/index.ts';
import { OperationsController } from './operation-queries/index.ts';
import { PoliciesController } from './policy-sets/index.ts';
import { ProfilesController } from './profiles/index.ts';
import { ExternalVersionsController } from './external-versions/index.ts';
import { ResourcesController } from './resources/index.ts';
import { SandboxesController } from './sandboxes/index.ts';
import { SecretsController } from './secrets/index.ts';
import { SkillsController } from './skills/index.ts';
import { SystemController } from './system/index.ts';
import { TenantsController } from './tenants/index.ts';
import { DerivedTokensController, TokensController } from './tokens/index.ts';
import { UsageController } from './usage/index.ts';
import { ToolsController } from './tool-registry/index.ts';
import { WhatIfController } from './what-if/index.ts';
import { WorkspacesController } from './workspaces/index.ts';

/** The controllers of the module, one for the requests of each kind of thing. */
export const MANAGEMENT_CONTROLLERS = [
  TenantsController,
  SystemController,
  CallSettingsController,
  BudgetsController,
  UsageController,
  ApiKeysController,
  AgentsController,
  DelegationsController,
  ApproverGroupsController,
  TokensController,
  DerivedTokensController,
  WorkspacesController,
  SecretsController,
  ToolsController,
  SandboxesController,
  ImagesController,
  ImageBuildsController,
  ProfilesController,
  SkillsController,
  ResourcesController,
  McpServersController,
  McpListingsController,
  McpConnectionsController,
  McpConsentsController,
  TokenWorkController,
  AudioDevicesController,
  ExternalVersionsController,
  OperationsController,
  NoticesController,
  FreezesController,
  ContainersController,
  PeekedController,
  PoliciesController,
  WhatIfController,
] as const;
