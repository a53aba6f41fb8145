import { kit, probe, test } from '../evidence.mjs';
import { row } from './row.mjs';

/** Versions and extensions. */
export const VERSIONS = [
  row(
    'A version that does not exist is refused, and the refusal names those that do',
    '3.6.2',
    kit('VER-SERVER-002'),
    probe('version.unsupported'),
    probe('version.names-supported'),
  ),
  row('No version, or an empty one, is 0.3', '3.6.2', kit('VER-SERVER-003'), probe('version.absent'), probe('version.empty')),
  row('A patch number is ignored', '3.6', probe('version.patch')),
  row('The version may be a query parameter', '3.6.1', probe('version.query-parameter')),
  row(
    '0.3 over JSON-RPC and HTTP+JSON: the official SDK’s clients of 0.3 send, stream, subscribe, cancel',
    'A',
    test('test/e2e/version-0.3.spec.ts', 'Version 0.3, through a store and workers'),
  ),
  row(
    'A client of 0.3 and one of 1.0 see the same task',
    'A',
    test('test/e2e/version-0.3.spec.ts', 'the task that a client of 1.0 sees'),
  ),
  row(
    '0.3 can be switched off, and is then refused with the version to send',
    '3.6.2',
    test('test/e2e/version-0.3.spec.ts', 'switched off'),
  ),
  row('A method of 0.3 is not served as 1.0', '3.6.2', probe('rpc.legacy-method')),
];

export const EXTENSIONS = [
  row('An extension that the agent does not know is ignored', '4.6.3', probe('extensions.unknown')),
  row(
    'One that the agent requires and the client does not name is ExtensionSupportRequiredError',
    '3.3.4',
    test('libs/protocol/src/extensions.spec.ts'),
  ),
  row('What an agent emits is declared in its card', '4.6.1', probe('extensions.declared')),
  row(
    'Activated extensions are echoed, and reach the agent',
    '4.6',
    test('libs/transport/src/grpc/grpc-server.spec.ts', 'echoes the activated extensions'),
    test('libs/core/src/operations/accept-message.spec.ts', 'which extensions its client activated'),
  ),
];
