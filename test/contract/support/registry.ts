import { CALLS as adhesion } from '../../adhesion/calls';
import { CALLS as clients } from '../../clients/calls';
import { CALLS as consent } from '../../consent/calls';
import { CALLS as essai } from '../../essai/calls';
import { CALLS as http } from '../../http/calls';
import { CALLS as meeting } from '../../meeting/calls';
import { CALLS as membership } from '../../membership/calls';
import { CALLS as messaging } from '../../messaging/calls';
import { CALLS as personne } from '../../personne/calls';
import { CALLS as sync } from '../../sync/calls';
import { CALLS as voting } from '../../voting/calls';
import { CALLS as webhooks } from '../../webhooks/calls';
import type { RouteCalls } from './calls';

/** The entries of each `test/<context>/calls.ts`. */
export const CALLS: ReadonlyMap<string, RouteCalls> = new Map(
  [
    adhesion,
    clients,
    consent,
    essai,
    http,
    meeting,
    membership,
    messaging,
    personne,
    sync,
    voting,
    webhooks,
  ].flatMap(Object.entries<RouteCalls>),
);
