// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from './faults.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Every limit on data that crosses a boundary, with the fault for exceeding it. Sizes in bytes, times in milliseconds.
 */
export const LIMITS = {
  httpBodyBytes: {
    max: 2 * MIB,
    fault: 'request.too_large',
    why: 'above the largest arguments, far below what a JSON parser stalls on',
  },
  filesBodyBytes: {
    max: 8 * MIB,
    fault: 'request.too_large',
    why: 'many files of a workspace in one JSON body; read in a fraction of a second',
  },
  bodyValues: {
    max: 32_768,
    fault: 'request.too_large',
    why: 'lists, objects and their members: each takes the time of many bytes; five thousand files have 25,000',
  },
  bodyNames: {
    max: 4_096,
    fault: 'request.too_large',
    why: 'different names of members: each takes the time of ten values',
  },
  uploadBytes: {
    max: 128 * MIB,
    fault: 'request.too_large',
    why: 'one file of a workspace through the API; it is streamed into the store',
  },
  importBytes: {
    max: 320 * MIB,
    fault: 'request.too_large',
    why: 'an archive with as much as one change may have, and its headers',
  },
  audioUploadBytes: {
    max: 64 * MIB,
    fault: 'request.too_large',
    why: 'one upload of an audio device: half an hour of audio; it goes on with the next',
  },
  audioUploads: {
    max: 64,
    fault: 'overloaded',
    why: 'uploads of audio of a tenant at once, in one process: each device has one',
  },
  fileToolBytes: {
    max: 64 * MIB,
    fault: 'file.too_large',
    why: 'one file that a file tool reads or writes: it is held in memory',
  },
  argsBytes: { max: MIB, fault: 'args.too_large', why: 'larger contents go into the workspace as files' },
  argsInlineBytes: {
    max: 64 * KIB,
    fault: 'args.too_large',
    why: 'longer arguments travel as a blob; a NATS message stays small',
  },
  argsValues: {
    max: 16_384,
    fault: 'args.too_large',
    why: 'lists, objects and their members: each takes the time of many bytes',
  },
  argsNames: {
    max: 2_048,
    fault: 'args.too_large',
    why: 'different names of members in arguments: each takes the time of ten values',
  },
  argsDepth: { max: 32, fault: 'request.malformed', why: 'no tool nests deeper; bounds recursion' },
  envelopeBytes: { max: 256 * KIB, fault: 'request.too_large', why: 'a message between processes' },
  resultInlineBytes: { max: 64 * KIB, fault: 'internal', why: 'longer results travel as a blob' },
  recordBytes: {
    max: 16 * KIB,
    fault: 'record.too_large',
    why: "an entry of a tile bundle; 65,535 is the format's bound",
  },
  permitBytes: { max: 4 * KIB, fault: 'permit.invalid', why: 'a bell, not a parcel' },
  valueBytes: {
    max: 8 * KIB,
    fault: 'request.malformed',
    why: 'a value that a person gives: a private key in PEM fits',
  },
  deltaInlineBytes: { max: 128 * KIB, fault: 'limit.exceeded', why: 'longer deltas travel as a blob' },
  contentsInlineBytes: {
    max: 32 * KIB,
    fault: 'effect.invalid',
    why: 'longer contents go into the blob store first; a report stays one message',
  },
  contentsInline: { max: 64, fault: 'effect.invalid', why: 'contents that travel in a report' },
  deltaChanges: {
    max: 24_000,
    fault: 'limit.exceeded',
    why: 'bounds the work of one commit: 20,000 files with their directories',
  },
  deltaBytes: { max: 256 * MIB, fault: 'limit.exceeded', why: 'the content that one call may write' },
  containerBytes: {
    max: 256 * MIB,
    fault: 'limit.exceeded',
    why: 'files of the workspace that a command may read, in whole pages of memory: they are sent into its container before it runs',
  },
  containerFiles: {
    max: 100_000,
    fault: 'limit.exceeded',
    why: 'the same, counted: entries take memory of the host even when they are empty',
  },
  outputBytes: {
    max: 200_000,
    fault: 'limit.exceeded',
    why: 'as much as a model can read; the rest is truncated with a notice',
  },
  keptOutputBytes: {
    max: 256 * MIB,
    fault: 'effect.invalid',
    why: 'each stream of a full output; an executor reads `WRIT_OUTPUT_HEARD_BYTES` of a command, 16 MiB by default',
  },
  commandMs: {
    max: 12 * 60 * 60 * 1000,
    fault: 'command.too_long',
    why: 'the time that a tenant may let a command take: half of the life of a container; 120 s unless the call says more',
  },
  commandBytes: { max: 64 * KIB, fault: 'args.invalid', why: 'bounds the shell parser' },
  sandboxes: {
    max: 200,
    fault: 'limit.exceeded',
    why: 'sandboxes of mk8.shell of a tenant: a person can still read a list of them',
  },
  sandboxBytes: {
    max: 128 * KIB,
    fault: 'request.malformed',
    why: 'rules and fragments of one sandbox, as RFC 8785 writes them: a person can still read what is signed',
  },
  sandboxEnvironmentBytes: {
    max: 64 * KIB,
    fault: 'request.malformed',
    why: 'the signed environment of one sandbox; a message between processes holds it',
  },
  registrarKeys: {
    max: 16,
    fault: 'limit.exceeded',
    why: "public keys of a tenant's registrars that are active at once: a rotation needs two",
  },
  images: { max: 100, fault: 'limit.exceeded', why: 'images of a tenant: each may take gigabytes on every executor' },
  approverGroups: {
    max: 100,
    fault: 'limit.exceeded',
    why: 'approver groups of a tenant: a person can still read a list of them',
  },
  executionProfiles: {
    max: 200,
    fault: 'limit.exceeded',
    why: 'execution profiles of a tenant: a person can still read a list of them',
  },
  executionProfileBytes: {
    max: 32 * KIB,
    fault: 'request.malformed',
    why: 'one execution profile, as RFC 8785 writes it: it is read before each call, and by people',
  },
  resources: {
    max: 2_000,
    fault: 'limit.exceeded',
    why: 'resources of a tenant beside its skills, sandboxes, profiles and agents: calls of agents make some',
  },
  resourceSettingsBytes: {
    max: 16 * KIB,
    fault: 'request.malformed',
    why: 'the settings of one resource, as RFC 8785 writes them: they are read before each call that names it',
  },
  resourceGrants: {
    max: 10_000,
    fault: 'limit.exceeded',
    why: 'grants of a tenant: a list of what an agent may use reads all that count for it',
  },
  skills: { max: 100, fault: 'limit.exceeded', why: "skills of a tenant: each is a line of its agents' prompts" },
  skillVersions: {
    max: 20,
    fault: 'limit.exceeded',
    why: 'versions of one skill that are kept; the oldest goes with the next one',
  },
  skillFilesSent: {
    max: 256,
    fault: 'request.malformed',
    why: 'files of a folder that are checked, so that all problems are reported',
  },
  skillFiles: {
    max: 64,
    fault: 'request.malformed',
    why: 'files of one skill: every answer of `skill.read` lists them',
  },
  skillFileBytes: {
    max: 128 * KIB,
    fault: 'request.malformed',
    why: 'one file of a skill: as text or as base64 it fits into one result, so that none is ever cut',
  },
  skillBytes: { max: MIB, fault: 'request.malformed', why: 'all files of one skill: it is sent as one JSON body' },
  skillsBytes: { max: 64 * MIB, fault: 'limit.exceeded', why: 'all versions of all skills of a tenant together' },
  appendRecords: { max: 200, fault: 'record.invalid', why: 'one batch to the ledger' },
  appendBytes: { max: 512 * KIB, fault: 'record.invalid', why: 'one batch to the ledger' },
  outboxAgeMs: { max: 10_000, fault: 'record.backlog', why: 'nothing unrecorded: admission stops when records wait' },
  outboxRows: { max: 10_000, fault: 'record.backlog', why: 'nothing unrecorded: admission stops when records wait' },
  listRows: { max: 200, fault: 'request.malformed', why: 'one page of a list' },
  waitMs: {
    max: 55_000,
    fault: 'request.malformed',
    why: 'one long poll: shorter than the minute after which proxies and clients give up',
  },
  chainTokens: { max: 8, fault: 'token.depth', why: 'tokens from root to leaf; every decision reads the whole chain' },
  grantBytes: {
    max: 32 * KIB,
    fault: 'request.too_large',
    why: 'what one token grants; the roots of a whole chain travel in one message to an executor',
  },
  tokenLifeMs: {
    max: 366 * 24 * 60 * 60 * 1000,
    fault: 'request.malformed',
    why: '366 days; a token that is needed for longer is issued again',
  },
  egressRequests: {
    max: 512,
    fault: 'limit.exceeded',
    why: 'requests of one call, which are listed one by one; further ones are refused',
  },
  requestsInlineBytes: { max: 16 * KIB, fault: 'internal', why: 'longer lists of requests travel as a blob' },
  attempts: { max: 3, fault: 'attempts.exhausted', why: 'a call that kills three executors will kill the fourth' },
  reruns: {
    max: 2,
    fault: 'workspace.conflict',
    why: 'times that an inline call runs again because another call changed its files: after that it waits for the others',
  },
} as const satisfies Record<string, { max: number; fault: FaultCode; why: string }>;
