/**
 * Whoever activates this extension while it makes a configuration is told of every event, not only of changes of state and whole
 * artifacts: a configuration of A2A 1.0 has no field that could say so.
 */
export const EVERY_EVENT_EXTENSION = 'urn:chorus:push:every-event:v1';
