import { CAMPAGNE, DOSSIER, VOTANT } from '../../domain/voting.errors';
import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Streamed } from '#platform/http/streamed';
import { archiveBytes } from '../application/dossier-archive';
import { DossiersService } from '../application/dossiers.service';
import { DossierItem, PreuveVotantItem } from './dossiers.dto';
import { EXAMPLE_IDS } from '../../http/examples';
import { CampagneId, campagnePart, VotantId, votantPart } from '../../http/path-parts';

const ERRORS = [CAMPAGNE.NotFound, DOSSIER.NonPret];
const AFTER =
  'It exists some seconds after the vote has ended. Before that, the answer is 409 `Dossier.NonPret` with `Retry-After`; the event `campagne.scellee` announces it.';

/** The bundle by which anyone can count a sealed box again. */
@ApiTags('Campaigns')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id')
export class DossiersController {
  constructor(private readonly dossiers: DossiersService) {}

  @Get('dossier')
  @Answers({
    summary: 'Read the bundle of a count',
    description: `Names, sizes and digests of the files by which anyone can count the vote again (docs/verification.md). ${AFTER}`,
    path: { id: campagnePart(EXAMPLE_IDS.comptee) },
    type: DossierItem,
    errors: ERRORS,
  })
  async read(@Tenant() tenantId: string, @CampagneId() id: string): Promise<DossierItem> {
    const { empreinte, fichiers } = await this.dossiers.find(tenantId, id);
    return { campagneId: id, empreinte, fichiers: [...fichiers] };
  }

  @Get('dossier/archive')
  @Answers({
    summary: 'Download the bundle of a count',
    description: `A tar of all files, the same bytes at every download. \`npx @mandat/verify\` counts it again. ${AFTER}`,
    path: { id: campagnePart(EXAMPLE_IDS.comptee) },
    content: 'application/x-tar',
    headers: { 'Content-Digest': 'SHA-256 of the body (RFC 9530).' },
    errors: ERRORS,
  })
  async download(
    @Tenant() tenantId: string,
    @CampagneId() id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Streamed> {
    const dossier = await this.dossiers.find(tenantId, id);
    const digest = Buffer.from(dossier.empreinteArchive, 'hex').toString('base64');
    response.type('application/x-tar');
    response.attachment(`dossier-${id}.tar`);
    response.setHeader('Content-Digest', `sha-256=:${digest}:`);
    response.setHeader('Content-Length', archiveBytes(dossier));
    return new Streamed(() => this.dossiers.archive(tenantId, id, dossier));
  }

  @Get('emargement')
  @Answers({
    summary: 'Read the roll of a count with its salts',
    description: `One line of JSON for each voter: rights, weight, whether the voter has voted, and the salt of the leaf in \`liste.bin\`. With it the roll of the bundle can be checked. Keep it: it shows who has voted. ${AFTER}`,
    path: { id: campagnePart(EXAMPLE_IDS.comptee) },
    content: 'application/x-ndjson',
    errors: ERRORS,
  })
  @Header('Content-Type', 'application/x-ndjson')
  roll(@Tenant() tenantId: string, @CampagneId() id: string): Streamed {
    return new Streamed(() => this.dossiers.roll(tenantId, id));
  }
}

/** Proofs that the platform shows a voter. */
@ApiTags('Votes')
@Requires({ role: 'plateforme', module: 'vote' })
@Controller('plateforme/v1/campagnes/:id/votants/:votantId')
export class VotantProofsController {
  constructor(private readonly dossiers: DossiersService) {}

  @Get('preuve')
  @Answers({
    summary: 'Read a voter’s line of the counted roll',
    description: `The line, its salt and the leaf: the voter checks that \`liste.bin\` has it. ${AFTER}`,
    path: { id: campagnePart(EXAMPLE_IDS.comptee), votantId: votantPart(EXAMPLE_IDS.votantCompte) },
    type: PreuveVotantItem,
    errors: [...ERRORS, VOTANT.NotFound],
  })
  read(
    @Tenant() tenantId: string,
    @CampagneId() id: string,
    @VotantId() votantId: string,
  ): Promise<PreuveVotantItem> {
    return this.dossiers.voter(tenantId, id, votantId);
  }
}
