import fc from 'fast-check';
import { SEED } from '../depth';

/** Properties that name no seed use the one of the run. */
fc.configureGlobal({ seed: SEED });
