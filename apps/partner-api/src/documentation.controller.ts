import { Controller, Get, NotFoundException, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '#platform/http/public.decorator';
import type { Language } from '#platform/errors/text';
import { CallerLanguage } from '#platform/http/language';
import { Documentation } from './documentation';

/** Swagger UI, the OpenAPI documents and the page of error codes. */
@ApiExcludeController()
@Public()
@Controller()
export class DocumentationController {
  constructor(private readonly documentation: Documentation) {}

  @Get()
  @Redirect('/docs', 302)
  root(): void {}

  @Get('docs')
  async index(@CallerLanguage() language: Language, @Res() response: Response): Promise<void> {
    await this.documentation.at('/docs', language)!.answer(response);
  }

  /** @throws NotFoundException where nothing has the path */
  @Get('docs/*path')
  async read(
    @Req() request: Request,
    @CallerLanguage() language: Language,
    @Res() response: Response,
  ): Promise<void> {
    const body = this.documentation.at(request.path.replace(/\/$/, ''), language);
    if (!body) throw new NotFoundException();
    await body.answer(response);
  }
}
