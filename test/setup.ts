import { GIVEN_SEED } from './seed.js';

// fast-check names its seed when a property fails. Without a wish it is not even loaded: most files have no use for it.
if (GIVEN_SEED !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: GIVEN_SEED });
}
