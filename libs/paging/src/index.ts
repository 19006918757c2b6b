// SPDX-License-Identifier: Apache-2.0
export { badCursor, cursorCodec, type CursorCodec } from './cursor.ts';
export { pageOf, ROW_CURSOR, type ListPage, type RowPosition } from './row-page.ts';
