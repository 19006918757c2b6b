// SPDX-License-Identifier: Apache-2.0
export {
  CONFLICTS_MAX,
  encodeAgentMessage,
  parseAgentMessage,
  REFUSED_AT_MAX,
  type AfterHead,
  type AgentMessage,
  type FaultReason,
  type ShellState,
  type ReportedUsage,
  type TurnRefusal,
} from './agent-message.ts';
export { OUTPUT_KEY_BYTES, outputOpener, outputSealer } from './output-seal.ts';
export { CANNOT_RUN, cannotStart } from './cannot-run.ts';
export { isChannelMessage, type ChannelMessage, type HostChannelMessage } from './channel-message.ts';
export { Channels, CHANNELS_MAX, OPENED_MAX, WINDOW_BYTES, type ChannelsOptions } from './channels.ts';
export { encodeEntries, stateOf, type Parts } from './encode-entries.ts';
export { assertRunnable, encodeJob } from './encode-job.ts';
export { encodePatches } from './encode-patch.ts';
export { EntryTree } from './entry-tree.ts';
export { FakeSandbox, type FakeSandboxOptions } from './fake-sandbox.ts';
export { fakeNameOf, type FakeEnd, type FakeProgram, type FakeWorld } from './fake-program.ts';
export {
  AGENT_FRAMES,
  CHUNK_BYTES_MAX,
  FRAME_VERSION,
  FrameDecoder,
  FrameError,
  HOST_FRAMES,
  type Frame,
  type FrameTable,
} from './frame.ts';
export { encodeHostMessage, parseHostMessage, type HostMessage, type JobOrder } from './host-message.ts';
export type { EntryHead } from './entry-head.ts';
export { comparePaths, parentOf, parentsOf, pathFault, targetFault } from './path.ts';
export {
  SANDBOX_LABELS,
  connectionsOf,
  tapBytesOf,
  Sandbox,
  SandboxJobError,
  type ContainerUsage,
  type RunningJob,
  type SandboxAfter,
  type SandboxChange,
  type SandboxDirectory,
  type SandboxEgress,
  type SandboxEnd,
  type SandboxEntry,
  type SandboxFile,
  type SandboxJob,
  type SandboxKin,
  type SandboxLabels,
  type SandboxLimits,
  type SandboxOutput,
  type SandboxPatch,
  type ExpectedJob,
  type SandboxReason,
  type SandboxResult,
  type SandboxStdio,
  type SandboxSymlink,
  type SandboxUsage,
  type SandboxUser,
  type PresentFiles,
} from './sandbox.ts';
export { FakeShells, type FakeShell } from './fake-shells.ts';
export type { FakeShellProgram, FakeShellWorld } from './fake-shell-program.ts';
export {
  NO_USAGE,
  Shell,
  ShellEnded,
  Shells,
  type ShellSpec,
  type ShellTurn,
  type ShellTurned,
  type TerminalSize,
} from './shell.ts';
export { SHELL_CONTROLS, type CheckedPath, type ShellControl, type TurnOrder } from './shell-message.ts';
export { ShellClient } from './shell-client.ts';
export { hashOfAfter, stateOfAfter, Transcript, type TranscriptEnd, type TranscriptMessage } from './transcript.ts';
