import type { Scope } from './scopes.js';
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
  | { mtlsSecurityScheme: { description?: string } }
  | { oauth2SecurityScheme: { description?: string; flows: OAuthFlows } }
  | { openIdConnectSecurityScheme: { description?: string; openIdConnectUrl: string } };

/** A one-of: a host with two flows has two schemes. Those that this host can declare; `scopes` says what each of them permits. */
export type OAuthFlows =
  | { clientCredentials: { tokenUrl: string; scopes: { [scope: string]: string } } }
  | { deviceCode: { deviceAuthorizationUrl: string; tokenUrl: string; scopes: { [scope: string]: string } } };

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

/**
 * What an agent's author adds to its card for callers who have shown who they are, and may ask for the extended one. Input and output
 * modes stay those of the card: what a message may hold does not depend on what its sender knows.
 */
export interface ExtendedCardTemplate {
  /** Stand in the place of the card's own. */
  description?: string;
  version?: string;
  documentationUrl?: string;
  /** Come after the card's own. */
  skills?: ExtendedSkill[];
}

export type ExtendedSkill = Omit<AgentSkill, 'securityRequirements' | 'inputModes' | 'outputModes'> & {
  /** Shown to callers alone whose credential has all of them; to everyone who may see the extended card when absent. */
  scopes?: Scope[];
};
