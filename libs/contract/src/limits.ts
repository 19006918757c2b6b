// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from './faults.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Every limit on what crosses a boundary, with the fault that says it was hit. Sizes in bytes, times in milliseconds.
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
    why: 'lists, objects and what is in them: each takes the time of many bytes; five thousand files have 25,000',
  },
  bodyNames: {
    max: 4_096,
    fault: 'request.too_large',
    why: 'different names of members: each takes the time of ten values',
  },
  uploadBytes: {
    max: 128 * MIB,
    fault: 'request.too_large',
    why: 'one file of a workspace through the API; it is stored as it comes',
  },
  importBytes: {
    max: 320 * MIB,
    fault: 'request.too_large',
    why: 'an archive that brings as much as one change may, with its headers',
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
    why: 'lists, objects and what is in them: each takes the time of many bytes',
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
  deltaBytes: { max: 256 * MIB, fault: 'limit.exceeded', why: 'what one call may write' },
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
  outputBytes: { max: 200_000, fault: 'limit.exceeded', why: 'what a model can read; the rest is cut with a notice' },
  keptOutputBytes: {
    max: 256 * MIB,
    fault: 'effect.invalid',
    why: 'each stream of a whole output; what an executor hears of a command is `WRIT_OUTPUT_HEARD_BYTES`, 16 MiB unless set',
  },
  commandMs: { max: 120_000, fault: 'command.timeout', why: 'default and largest time of a command' },
  commandBytes: { max: 64 * KIB, fault: 'args.invalid', why: 'bounds the shell parser' },
  sandboxes: {
    max: 200,
    fault: 'limit.exceeded',
    why: 'sandboxes of mk8.shell that a tenant has: a list of them stays one that a person reads',
  },
  sandboxBytes: {
    max: 128 * KIB,
    fault: 'request.malformed',
    why: 'rules and fragments of one sandbox, as RFC 8785 writes them: what is signed can be read through',
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
  executionProfiles: {
    max: 200,
    fault: 'limit.exceeded',
    why: 'execution profiles that a tenant has: a list of them stays one that a person reads',
  },
  executionProfileBytes: {
    max: 32 * KIB,
    fault: 'request.malformed',
    why: 'one execution profile, as RFC 8785 writes it: its whole is read before each call, and by people',
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
    why: 'files of a folder that are looked at, so that all that is wrong is told',
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
    why: '366 days; what is to live on is issued again, by somebody who still wants it to',
  },
  egressRequests: {
    max: 512,
    fault: 'limit.exceeded',
    why: 'requests of one call that are listed one by one; past it nothing leaves',
  },
  requestsInlineBytes: { max: 16 * KIB, fault: 'internal', why: 'longer lists of requests travel as a blob' },
  attempts: { max: 3, fault: 'attempts.exhausted', why: 'a call that kills three executors will kill the fourth' },
  reruns: {
    max: 2,
    fault: 'workspace.conflict',
    why: 'times that an inline call runs again because another call changed its files: who loses three times waits for the others',
  },
} as const satisfies Record<string, { max: number; fault: FaultCode; why: string }>;
