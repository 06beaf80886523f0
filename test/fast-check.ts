import fc from 'fast-check';
import { SEED } from './seed.js';

// What a test gets that imports `fast-check` (vitest.config.ts): the same values every time. A property that fails names its seed.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

export default fc;
