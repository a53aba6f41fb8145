import { fromBinary, fromJsonString, toBinary, toJson, type DescMethod } from '@bufbuild/protobuf';
import { InvalidParamsError, type OperationName } from '#protocol';
import type { Descriptors } from './descriptors.js';
import type { GrpcService } from './grpc-service.js';

/** In JSON text of ours only an unpaired surrogate is escaped as one. Protobuf has no way to say it. */
const UNPAIRED_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
const REPLACEMENT = '$1\uFFFD';

/** One method of the service: its protobuf bytes in and out of ProtoJSON, which is what everything behind it speaks. */
export class WireCodec {
  private constructor(
    readonly operation: OperationName,
    /** `/package.Service/Method` */
    readonly path: string,
    private readonly method: DescMethod,
  ) {}

  /** One for each operation that `service` has. */
  static all({ registry }: Descriptors, service: GrpcService): WireCodec[] {
    const methods = new Map(registry.getService(service.name)?.methods.map((method) => [method.name, method]));
    return [...service.methods].map(([operation, name]) => {
      const method = methods.get(name);
      if (!method) throw new Error(`${service.name} has no method ${name}`);
      return new WireCodec(operation, `/${service.name}/${name}`, method);
    });
  }

  get streams(): boolean {
    return this.method.methodKind === 'server_streaming';
  }

  /** A request as ProtoJSON. Fields that have their default value are absent in it. Throws InvalidParamsError. */
  decode(bytes: Uint8Array): unknown {
    try {
      return toJson(this.method.input, fromBinary(this.method.input, bytes));
    } catch (error) {
      const description = `is no ${this.method.input.typeName} that has a JSON form: ${(error as Error).message}`;
      throw new InvalidParamsError([{ field: '', description }]);
    }
  }

  /** An answer, or one frame of a stream, out of ProtoJSON text that was made here. */
  encode(text: string): Buffer {
    const { output } = this.method;
    const sayable = text.includes('\\ud') ? text.replace(UNPAIRED_SURROGATE, REPLACEMENT) : text;
    const bytes = toBinary(output, fromJsonString(output, sayable, { ignoreUnknownFields: true }));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
