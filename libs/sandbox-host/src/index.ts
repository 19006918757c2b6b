// SPDX-License-Identifier: Apache-2.0
export { AgentContainer, type AgentContainerParts, type ContainerListener, type Freezer } from './agent-container.ts';
export { AGENT_VARIABLES, SANDBOX_UID } from './agent-process.ts';
export { ENGINE_CHECK_MS_MAX } from './container-engine.ts';
export type { ContainerEngine, ContainerSpec, SandboxSize, WarmPoolConfig } from './container-engine.ts';
export { ContainerSandbox, type ContainerSandboxConfig } from './container-sandbox.ts';
export { EngineNotReady, verifyEngine, type EngineProblem } from './engine-not-ready.ts';
export type { SandboxEvent, SandboxEventListener } from './events.ts';
export { perform, type Ending, type Performance } from './perform.ts';
export type { Measure, Meter } from './measure.ts';
export type { Wire, WireListener } from './wire.ts';
export { EngineTimeout, within, type LivenessCheck } from './within.ts';
