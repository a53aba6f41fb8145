import pg from 'pg';
import { x } from '#postgres';
import { y } from '../../core/src/index.js';
import { z } from 'chorus/agents';
import { ok } from '#core';
export const e = process.env['X'];
export const all = [pg, x, y, z, ok];
