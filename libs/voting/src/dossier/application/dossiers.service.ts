import { Injectable } from '@nestjs/common';
import { Databases } from '#platform/database/databases';
import { DomainError } from '#platform/errors/domain-error';
import { inTurn } from '#platform/limits/list-parts';
import { DOSSIER, VOTANT } from '../../domain/voting.errors';
import { noCampagne } from '../../campagne/persistence/campagne.repository';
import { type Dossier, DossierRepository } from '../persistence/dossier.repository';
import { archiveOf } from './dossier-archive';
import { fr, type Text } from '#platform/errors/text';

/** Seconds until a bundle of a vote that has ended is asked for again, and the longest wait. */
const SOON_S = 5;
const LATEST_S = 3_600;

const WITHOUT_RESULT: Text = {
  en: 'The ballot box was sealed without a result, so it has no bundle.',
  fr: fr("L'urne a été scellée sans résultat, elle n'a donc pas de dossier."),
};
const BY_EARLIER_RELEASE: Text = {
  en: 'The ballot box was sealed by a release that made no bundles, so it has no bundle.',
  fr: fr("L'urne a été scellée par une version qui ne produisait pas de dossiers, elle n'en a donc pas."),
};
const BUILT_LATER: Text = {
  en: 'The bundle is built after the vote has ended and its box is sealed.',
  fr: fr('Le dossier est produit une fois le vote terminé et son urne scellée.'),
};

/** Reads the bundles of sealed boxes (docs/verification.md). */
@Injectable()
export class DossiersService {
  constructor(
    private readonly repository: DossierRepository,
    private readonly databases: Databases,
  ) {}

  /** @throws DomainError `Campagne.NotFound`, `Dossier.NonPret` */
  async find(tenantId: string, id: string): Promise<Dossier> {
    const dossier = await this.repository.find(tenantId, id);
    if (dossier) return dossier;
    const state = await this.repository.state(tenantId, id);
    if (!state) throw noCampagne();
    const { estDu, estScellee, constat, secondes } = state;
    if (estScellee && !estDu) {
      throw new DomainError(DOSSIER.NonPret, constat ? WITHOUT_RESULT : BY_EARLIER_RELEASE);
    }
    throw new DomainError(DOSSIER.NonPret, BUILT_LATER, {
      retryAfterSeconds: Math.min(Math.max(secondes ?? LATEST_S, SOON_S), LATEST_S),
    });
  }

  /** The bytes of the archive, always the same. */
  archive(tenantId: string, id: string, dossier: Dossier): AsyncGenerator<Uint8Array, void> {
    const client = this.databases.clientOf(tenantId);
    return archiveOf(dossier, (fichier) => inTurn(client, this.repository.parts(tenantId, id, fichier)));
  }

  /** The roll with the salts of its leaves, as NDJSON. @throws DomainError as `find` */
  async *roll(tenantId: string, id: string): AsyncGenerator<Uint8Array, void> {
    await this.find(tenantId, id);
    yield* inTurn(this.databases.clientOf(tenantId), this.repository.roll(tenantId, id));
  }

  /** A voter's line of the roll. @throws DomainError as `find`, and `Votant.NotFound` */
  async voter(tenantId: string, id: string, votantId: string) {
    const voter = await this.repository.voter(tenantId, id, votantId);
    if (voter) return voter;
    await this.find(tenantId, id);
    throw new DomainError(VOTANT.NotFound);
  }
}
