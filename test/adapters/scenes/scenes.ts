import { AGENTS } from './agents.js';
import { ENDS } from './ends.js';
import { PERMISSIONS } from './permissions.js';
import type { Scene } from './scene.js';
import { TOOLS } from './tool-scenes.js';
import { TURNS } from './turns.js';

/** What every adapter must do alike. */
export const SCENES: readonly Scene[] = [...TURNS, ...TOOLS, ...PERMISSIONS, ...ENDS, ...AGENTS];
