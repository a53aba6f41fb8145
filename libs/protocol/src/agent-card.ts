import type { Struct } from './types.js';

/** The AgentCard of A2A 1.0.1 (section 4.4) in its ProtoJSON form. */
export interface AgentCard {
  name: string;
  description: string;
  supportedInterfaces: AgentInterface[];
  provider?: AgentProvider;
  version: string;
  documentationUrl?: string;
  capabilities: AgentCapabilities;
  securitySchemes?: { [name: string]: SecurityScheme };
  /** One of them is enough. */
  securityRequirements?: SecurityRequirement[];
  defaultInputModes: string[];
  defaultOutputModes: string[];
  skills: AgentSkill[];
  signatures?: { protected: string; signature: string; header?: Struct }[];
  iconUrl?: string;
}

export interface AgentInterface {
  url: string;
  protocolBinding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC' | (string & {});
  tenant?: string;
  protocolVersion: string;
}

export interface AgentProvider {
  url: string;
  organization: string;
}

export interface AgentCapabilities {
  streaming?: boolean;
  pushNotifications?: boolean;
  extensions?: AgentExtension[];
  extendedAgentCard?: boolean;
}

export interface AgentExtension {
  uri: string;
  description?: string;
  required?: boolean;
  params?: Struct;
}

export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
  inputModes?: string[];
  outputModes?: string[];
  securityRequirements?: SecurityRequirement[];
}

/** A one-of: how a caller shows who it is (section 4.5). */
export type SecurityScheme =
  | { apiKeySecurityScheme: { description?: string; location: 'header' | 'query' | 'cookie'; name: string } }
  | { httpAuthSecurityScheme: { description?: string; scheme: string; bearerFormat?: string } }
  | { openIdConnectSecurityScheme: { description?: string; openIdConnectUrl: string } };

/** All of these schemes together, each with the scopes that it has to grant. */
export interface SecurityRequirement {
  schemes: { [name: string]: { list: string[] } };
}

/** What an agent's author writes; the host adds what it knows itself: interfaces, streaming, and the security that it enforces. */
export type AgentCardTemplate = Omit<
  AgentCard,
  'supportedInterfaces' | 'capabilities' | 'securitySchemes' | 'securityRequirements' | 'signatures' | 'skills'
> & {
  capabilities?: { extensions?: AgentExtension[] };
  skills: Omit<AgentSkill, 'securityRequirements'>[];
};
