import { Injectable } from '@nestjs/common';
import { IdentifiantRepository } from '#membership';
import { Transactions } from '#platform/database/transactions';
import { fr, type Language, type Text } from '#platform/errors/text';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import {
  constatOf,
  type Contrefactuel,
  contrefactuelOf,
  memberText,
  type Motif,
  motifsForMember,
  motifsOfAbsence,
} from '../domain/motif';
import { codeOf } from '../domain/motif.fields';
import { ExplicationQuery } from '../persistence/explication.query';

interface Explication {
  /** Null for an employee who is not on the roll. */
  readonly votantId: string | null;
  readonly aDroitDeVote: boolean;
  readonly motifs: readonly Motif[];
  /** Undefined for a voter, and where no single change of a list would put the employee on the roll. */
  readonly contrefactuel?: Contrefactuel;
}

const STANDING = {
  voter: { en: 'You may vote.', fr: fr('Vous pouvez voter.') },
  noRight: { en: 'You may not vote.', fr: fr('Vous ne pouvez pas voter.') },
  absent: {
    en: 'You are not on the list of voters.',
    fr: fr("Vous n'êtes pas sur la liste électorale."),
  },
} as const satisfies Record<string, Text>;

/** Why an employee is on a roll, or not (docs/contract.md, "Explanation of a roll"). */
@Injectable()
export class ExplicationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly campagnes: CampagneRepository,
    private readonly identifiants: IdentifiantRepository,
    private readonly query: ExplicationQuery,
  ) {}

  /** Returns the explanation for partners. @throws as `explain` */
  async told(tenantId: string, campagneId: string, idExterne: string, language: Language) {
    const { votantId, motifs, contrefactuel } = await this.explain(tenantId, campagneId, idExterne);
    return {
      surLaListe: votantId !== null,
      votantId,
      motifs: motifs.map((motif) => ({
        code: codeOf(motif.code),
        critere: motif.critere,
        constat: constatOf(motif)[language],
        reference: motif.reference,
        depuis: motif.depuis?.toISOString() ?? null,
        listeId: motif.listeId,
      })),
      contrefactuel: contrefactuel && { ...contrefactuel, texte: contrefactuel.texte[language] },
    };
  }

  /** Returns the explanation for the member. @throws as `explain` */
  async toldToMember(tenantId: string, campagneId: string, idExterne: string, language: Language) {
    const { votantId, aDroitDeVote, motifs } = await this.explain(tenantId, campagneId, idExterne);
    const standing = votantId === null ? 'absent' : aDroitDeVote ? 'voter' : 'noRight';
    const told = motifsForMember(motifs).map((motif) => ({
      code: codeOf(motif.code),
      texte: memberText(motif)[language],
    }));
    return {
      surLaListe: votantId !== null,
      aDroitDeVote,
      votantId,
      texte: [STANDING[standing][language], ...new Set(told.map(({ texte }) => texte))].join(' '),
      motifs: told,
    };
  }

  /** @throws DomainError `Campagne.NotFound`, `Employe.NotFound`, which names the present identifier of a renamed employee */
  private async explain(tenantId: string, campagneId: string, idExterne: string): Promise<Explication> {
    await this.campagnes.assertExists(tenantId, campagneId);
    const explication = await this.transactions.read({ tenantId }, async () => {
      const enrolment = await this.query.enrolment(tenantId, campagneId, idExterne);
      if (!enrolment) return undefined;
      const { votantId, retireLe } = enrolment;
      if (votantId !== null)
        return {
          votantId,
          aDroitDeVote: enrolment.aDroitDeVote === true,
          motifs: await this.query.kept(tenantId, campagneId, votantId),
        };
      const found = await this.query.found(tenantId, campagneId, idExterne);
      const nearest = await this.query.nearest(tenantId, campagneId, idExterne);
      return {
        votantId,
        aDroitDeVote: false,
        motifs: motifsOfAbsence(enrolment, found),
        contrefactuel: nearest && contrefactuelOf(nearest, retireLe !== null),
      };
    });
    if (!explication) throw await this.identifiants.missing(tenantId, idExterne);
    return explication;
  }
}
