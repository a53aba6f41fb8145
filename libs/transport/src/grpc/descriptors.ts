import { create, createFileRegistry, fromBinary, toBinary, type FileRegistry } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { loadSync } from '@grpc/proto-loader';
import { SERVICE_V03, SERVICE_V1, type GrpcService } from './grpc-service.js';

const WELL_KNOWN = [file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp];

/** A2A's messages as protobuf knows them. */
export interface Descriptors {
  readonly registry: FileRegistry;
  /** The files, those that others import first, as the reflection service hands them out. */
  readonly files: readonly Uint8Array[];
}

/** Reads the descriptions of both services below `folder`. Throws when one is not there, or is no protobuf. */
export function loadDescriptors(folder: string): Descriptors {
  const file = [...WELL_KNOWN.map(({ proto }) => proto), fileOf(SERVICE_V1, folder), fileOf(SERVICE_V03, folder)];
  return {
    registry: createFileRegistry(create(FileDescriptorSetSchema, { file })),
    files: file.map((one) => toBinary(FileDescriptorProtoSchema, one)),
  };
}

function fileOf(service: GrpcService, folder: string): FileDescriptorProto {
  const definition = loadSync(service.file, { includeDirs: [folder], keepCase: true });
  const task = definition[`${service.package}.Task`] as { fileDescriptorProtos?: Buffer[] } | undefined;
  const parsed = task?.fileDescriptorProtos?.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  const ours = parsed?.find((file) => file.package === service.package);
  if (!ours) throw new Error(`${folder}/${service.file} does not hold the package ${service.package}`);
  return completed(ours, service.file);
}

/**
 * The file as protoc would describe it. The loader's descriptors leave out what protoc adds, and readers that are strict about
 * it, as those of Go, refuse them: imports, absolute type names, JSON names, the names of map entries, what is optional.
 */
function completed(file: FileDescriptorProto, name: string): FileDescriptorProto {
  const scope = `.${file.package}`;
  const known = new Map<string, string>();
  for (const { name } of [...file.messageType, ...file.enumType]) known.set(name, `${scope}.${name}`);
  file.messageType.forEach((message) => completeMessage(message, scope, known));
  file.name = name;
  file.dependency = WELL_KNOWN.map(({ proto }) => proto.name);
  return file;
}

function completeMessage(message: DescriptorProto, scope: string, known: ReadonlyMap<string, string>): void {
  const entries = new Map<string, string>();
  for (const entry of message.nestedType) {
    const name = `${pascal(entry.name)}Entry`;
    entries.set(entry.name, `${scope}.${message.name}.${name}`);
    entry.name = name;
    for (const field of entry.field) completeField(field, known);
  }
  for (const field of message.field) {
    const oneof = field.oneofIndex === undefined ? undefined : message.oneofDecl[field.oneofIndex];
    if (oneof?.name === `_${field.name}`) field.proto3Optional = true;
    completeField(field, new Map([...known, ...entries]));
  }
}

function completeField(field: FieldDescriptorProto, known: ReadonlyMap<string, string>): void {
  field.jsonName = field.name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  field.options = field.options?.deprecated ? field.options : undefined;
  if (field.type !== FieldDescriptorProto_Type.MESSAGE && field.type !== FieldDescriptorProto_Type.ENUM) return;
  field.typeName = known.get(field.typeName) ?? `.${field.typeName.replace(/^\./, '')}`;
}

const pascal = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
