import { probe, test } from '../evidence.mjs';
import { gap } from './row.mjs';

/** What is not there. A capability that is not there is not declared, and its operations answer as the specification says. */
export const GAPS = [
  gap('Extended agent card', '3.1.11', 'Not built. The capability is declared false.', probe('capabilities.extended-card')),
  gap('Mutual TLS as a credential', '4.5', 'Not built; no card declares it.', probe('card.security')),
  gap(
    'An agent without streaming',
    '3.3.4',
    'Every agent streams here, so nothing shows how streaming is refused.',
    probe('capabilities.streaming'),
  ),
  gap(
    'TLS on the HTTP port',
    '7.1',
    'A proxy’s work ([security](security.md)). gRPC has it by configuration.',
    test('apps/api/src/grpc-endpoint.spec.ts'),
  ),
];
