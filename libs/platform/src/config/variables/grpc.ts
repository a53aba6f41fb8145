import { folder, hostAndPort, optional, portOrOff, variable } from '../values.js';

const group = 'gRPC';

export const GRPC = {
  grpcPort: variable('GRPC_PORT', portOrOff, {
    group,
    default: '50051',
    description: 'Port that the API serves gRPC on, at the address HOST; 0 takes any free one, `off` serves none.',
  }),
  publicGrpcAddress: optional('PUBLIC_GRPC_ADDRESS', hostAndPort, {
    group,
    description:
      'Where clients reach gRPC; what agent cards name. Without it: the host of the request for the card and GRPC_PORT, and no gRPC in the cards of an API behind a proxy or with a PUBLIC_URL.',
  }),
  grpcCertificateFile: optional('GRPC_TLS_CERT_FILE', folder, {
    group,
    description: 'File with the certificate chain, as PEM, that gRPC is served with. Without it: no TLS.',
  }),
  grpcKeyFile: optional('GRPC_TLS_KEY_FILE', folder, {
    group,
    description: 'File with the private key, as PEM, of that certificate.',
  }),
} as const;
