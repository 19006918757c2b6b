// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Controller, StreamableFile } from '@nestjs/common';
import type { WorkspaceView } from '@writ/contract';
import { Asked } from '../../edge/requests/asked.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { FILES } from './file-routes.ts';
import { Export } from './export.ts';
import { Import } from './import.ts';
import { PutFiles } from './put-files.ts';
import { ReadFile } from './read-file.ts';

@Controller()
export class FilesController {
  constructor(
    private readonly putFiles: PutFiles,
    private readonly readFile: ReadFile,
    private readonly packed: Export,
    private readonly unpacked: Import,
  ) {}

  @Route(FILES.upload)
  upload(@Asked() { caller, params, body }: AskedOf<typeof FILES.upload>): Promise<WorkspaceView> {
    return this.putFiles.putAll(caller, params.workspace_id, body.files);
  }

  @Route(FILES.put)
  async put(
    @Asked() { caller, params, query, stream }: AskedOf<typeof FILES.put>,
    @InExchange() exchange: Exchange,
  ): Promise<WorkspaceView> {
    const { workspace, sha256 } = await this.putFiles.put(caller, params.workspace_id, params.path, query.mode, stream);
    exchange.setHeader('etag', `"${sha256}"`);
    return workspace;
  }

  @Route(FILES.remove)
  remove(@Asked() { caller, params }: AskedOf<typeof FILES.remove>): Promise<WorkspaceView> {
    return this.putFiles.remove(caller, params.workspace_id, params.path);
  }

  @Route(FILES.download)
  async download(
    @Asked() { caller, params, query }: AskedOf<typeof FILES.download>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile | undefined> {
    const { kind, mode, sha256, size, parts } = await this.readFile.run(
      caller,
      params.workspace_id,
      params.path,
      query.at,
    );
    const etag = `"${sha256}"`;
    exchange.setHeader('etag', etag);
    exchange.setHeader('cache-control', 'private, no-cache');
    exchange.setHeader('writ-file-kind', kind);
    if (mode !== null) exchange.setHeader('writ-file-mode', mode);
    if (isNamedIn(exchange.header('if-none-match'), etag)) {
      exchange.setStatus(304);
      return undefined;
    }
    // Never shown by a browser: it's the tenant's own bytes, under our name.
    return new StreamableFile(Readable.from(parts(), { objectMode: false }), {
      type: 'application/octet-stream',
      disposition: 'attachment',
      length: size,
    });
  }

  @Route(FILES.export)
  async export(
    @Asked() { caller, params, query }: AskedOf<typeof FILES.export>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const { snapshotId, archive } = await this.packed.run(caller, params.workspace_id, query);
    exchange.setHeader('etag', `"${snapshotId}"`);
    exchange.setHeader('cache-control', 'private, no-cache');
    return new StreamableFile(archive, {
      type: 'application/x-tar',
      disposition: `attachment; filename="${params.workspace_id}.tar"`,
    });
  }

  @Route(FILES.import)
  import(@Asked() { caller, params, query, stream }: AskedOf<typeof FILES.import>): Promise<WorkspaceView> {
    return this.unpacked.run(caller, params.workspace_id, query, stream);
  }
}

function isNamedIn(ifNoneMatch: string | undefined, etag: string): boolean {
  return (
    ifNoneMatch !== undefined &&
    (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
  );
}
