'use strict';
// Loaded before a built worker (node --require): it dies when it works on a row of the file KILLING_WORK, a JSON object with the
// id of the row by the name of the work, as a process does whose heap is full. Only once the work has begun.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const of = (path, name) => require(join(__dirname, '../../../dist/libs', path))[name].prototype;

/** @param idOf the id of the row, from the arguments */
function kills(work, prototype, method, idOf) {
  const original = prototype[method];
  prototype[method] = function killing(...args) {
    const ids = JSON.parse(readFileSync(process.env.KILLING_WORK, 'utf8'));
    if (ids[work] !== undefined && ids[work] === idOf(args)) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
}

const second = ([, id]) => id;
const first = ([id]) => id;
const campagnes = of('voting/src/campagne/persistence/campagne.repository.js', 'CampagneRepository');
kills('annonce', campagnes, 'lockIfFree', second);
kills('fermeture', campagnes, 'closeBox', first);
kills(
  'engagement',
  of('voting/src/ballot/application/engagements.service.js', 'EngagementsService'),
  'engage',
  second,
);
kills(
  'scellement',
  of('voting/src/ballot/persistence/sealing.repository.js', 'SealingRepository'),
  'seal',
  first,
);
kills(
  'dossier',
  of('voting/src/dossier/persistence/dossier-sources.query.js', 'DossierSourcesQuery'),
  'scrutin',
  second,
);
kills('tache', of('sync/src/application/sync-v2.service.js', 'SyncV2Service'), 'sync', first);
kills(
  'courriel',
  of('messaging/src/application/sending-worker.js', 'SendingWorker'),
  'message',
  ([email]) => email.id,
);
