import { MethodNotFoundError, PROTO_FORM, VersionNotSupportedError, type A2AError } from '#protocol';
import { legacyProtoCardOf } from '../agent-card/card-forms.js';
import type { GrpcDialect } from '../grpc/grpc-dialect.js';
import { SERVICE_V03, SERVICE_V1 } from '../grpc/grpc-service.js';
import { failureOf } from '../grpc/grpc-status.js';
import { SUPPORTED_VERSIONS, type Host } from '../host.js';
import type { CallRequest } from '../http.js';
import { asksForV03, requireVersion } from '../requested-version.js';
import { namedFor } from './error-body.js';
import { dialectOf } from './v03-dialects.js';

/** gRPC of 0.3. Nothing in its messages could name an agent, so the default one answers. */
export const GRPC_V03: GrpcDialect = Object.freeze({
  ...dialectOf('proto', PROTO_FORM, legacyProtoCardOf),
  errorBody: (error: A2AError) => failureOf(namedFor(error, 'proto')),
  requireVersion(host: Host, request: CallRequest) {
    if (!host.serveV03)
      throw new VersionNotSupportedError('0.3', SUPPORTED_VERSIONS, `. ${SERVICE_V03.name} is the service of A2A 0.3`);
    if (asksForV03(request)) return;
    requireVersion(host, request);
    throw new MethodNotFoundError(
      request.url,
      ` (a method of A2A 0.3; the request asks for version 1.0, whose service is ${SERVICE_V1.name})`,
    );
  },
  addressed: (message: unknown) => ({ agentId: undefined, tenant: undefined, input: message as Record<string, unknown> }),
});
