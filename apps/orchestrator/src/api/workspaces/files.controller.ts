// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { Controller, StreamableFile } from '@nestjs/common';
import type { WorkspaceView } from '@writ/contract';
import { conditionMembers, isNamedIn } from '../../edge/requests/conditions.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
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
    private readonly exportArchive: Export,
    private readonly importArchive: Import,
  ) {}

  @Route(FILES.upload)
  upload(@RequestInput() { caller, params, body }: RequestInputOf<typeof FILES.upload>): Promise<WorkspaceView> {
    return this.putFiles.putAll(caller, params.workspace_id, body.files);
  }

  @Route(FILES.put)
  async put(
    @RequestInput() request: RequestInputOf<typeof FILES.put>,
    @InExchange() exchange: Exchange,
  ): Promise<WorkspaceView> {
    const { caller, params, query, stream } = request;
    const { workspace_id, path } = params;
    const file = { path, mode: query.mode, stream };
    const { workspace, sha256 } = await this.putFiles.put(caller, workspace_id, file, conditionMembers(request));
    exchange.setHeader('etag', `"${sha256}"`);
    return workspace;
  }

  @Route(FILES.remove)
  remove(@RequestInput() request: RequestInputOf<typeof FILES.remove>): Promise<WorkspaceView> {
    const { caller, params } = request;
    return this.putFiles.remove(caller, params.workspace_id, params.path, conditionMembers(request));
  }

  @Route(FILES.download)
  async download(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof FILES.download>,
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
    // Never rendered by a browser: the tenant's own bytes are served from this origin.
    return new StreamableFile(Readable.from(parts(), { objectMode: false }), {
      type: 'application/octet-stream',
      disposition: 'attachment',
      length: size,
    });
  }

  @Route(FILES.export)
  async export(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof FILES.export>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile> {
    const { snapshotId, archive } = await this.exportArchive.run(caller, params.workspace_id, query);
    exchange.setHeader('etag', `"${snapshotId}"`);
    exchange.setHeader('cache-control', 'private, no-cache');
    return new StreamableFile(archive, {
      type: 'application/x-tar',
      disposition: `attachment; filename="${params.workspace_id}.tar"`,
    });
  }

  @Route(FILES.import)
  import(
    @RequestInput() { caller, params, query, stream }: RequestInputOf<typeof FILES.import>,
  ): Promise<WorkspaceView> {
    return this.importArchive.run(caller, params.workspace_id, query, stream);
  }
}
