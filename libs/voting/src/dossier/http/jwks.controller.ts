import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '#platform/http/public.decorator';
import { DossierKeys } from '../../application/dossier-keys';
import type { PublicJwk } from '../../domain/signing-key';

/** The public keys that verify counts (RFC 7517). */
@ApiExcludeController()
@Public()
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keys: DossierKeys) {}

  @Get('jwks.json')
  @Header('Content-Type', 'application/jwk-set+json')
  @Header('Cache-Control', 'public, max-age=60')
  async read(): Promise<{ keys: PublicJwk[] }> {
    return { keys: await this.keys.publicKeys() };
  }
}
