import { register } from 'node:module';

/** `node --import …/register.js`: what this process imports from here on may be agents outside of this project. */
register('./hooks.js', import.meta.url);
process.setSourceMapsEnabled(true);
