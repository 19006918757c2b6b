// SPDX-License-Identifier: Apache-2.0

/** The formats of a record in a line of an export. */
export const EXPORT_FORMATS = ['dsse', 'receipt', 'cloudevents', 'ocsf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
