import fc from 'fast-check';
import { SEED } from '../depth';

/** Properties without a seed use the seed of the run. */
fc.configureGlobal({ seed: SEED });
